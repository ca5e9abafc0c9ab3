//! Reports: one HTML page that needs nothing else and can be sent to a colleague.

pub mod csv;
mod html;
mod plot;
pub mod run;
pub mod validation;
