//! How long the phases of a run took, for its report: `timing.json`, the one file of a run that
//! depends on the machine.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use splashdown::output::atomic;
use splashdown::output::error::RunError;
use splashdown::world::PHASES;

use crate::summary::Statistics;

const FILE: &str = "timing.json";

/// Adds this session to those of the run before it was resumed.
pub(crate) fn write(
    directory: &Path,
    statistics: &Statistics,
    wall: Duration,
) -> Result<(), RunError> {
    let path = directory.join(FILE);
    let earlier = fs::read_to_string(&path).ok();
    let earlier = earlier.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let sessions = earlier.as_ref().and_then(|value| value["sessions"].as_array());
    let mut sessions = sessions.cloned().unwrap_or_default();
    let phases: Vec<(&str, f64)> = PHASES.iter().copied().zip(statistics.seconds).collect();
    sessions.push(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads": rayon::current_num_threads(),
        "steps": statistics.steps,
        "seconds": wall.as_secs_f64(),
        "phases": phases,
    }));
    let text = format!("{:#}\n", json!({ "sessions": sessions }));
    atomic::write_bytes(&path, text.as_bytes())
}
