//! Scene file → World.
