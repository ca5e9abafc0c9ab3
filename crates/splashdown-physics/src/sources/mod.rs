//! Where fluid comes from and where it goes. What they do in a step is in `flow`.

pub mod drop_emitter;
pub mod emitter;
pub mod sink;

pub use drop_emitter::DropEmitter;
pub use emitter::Emitter;
pub use sink::Sink;
