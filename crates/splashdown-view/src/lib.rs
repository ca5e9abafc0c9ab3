//! Splashdown runs in the browser.
//!
//! ```text
//! TCP ─► http ─► guard ─► routes ─► folder ─► frame, mesh, tables, manifest ─► bytes ─► page/*.js
//!        limits  who asks what      only files of the run
//! ```
//!
//! `report` makes pages that need no server.
//!
//! The server listens on the loopback interface only. No request names a file: it names a frame, a
//! table or a part of the page, and `folder` opens what belongs to the run and nothing else.

pub mod browser;
pub mod folder;
pub mod frame;
pub mod guard;
pub mod http;
pub mod manifest;
pub mod mesh;
pub mod page;
pub mod report;
mod room;
pub mod routes;
pub mod server;
pub mod tables;
