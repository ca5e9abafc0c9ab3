//! Arithmetic expressions of the time t (and other variables) in scene files.
