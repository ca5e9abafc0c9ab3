//! What the page must know about a run before it shows any frame, and what changes while it goes
//! on.

use serde_json::{Map, Value, json};
use splashdown_geometry::math::DVec3;
use splashdown_render::color::{self, Linear, Ramp, ToSrgb};
use splashdown_render::error::RenderError;
use splashdown_render::framing;
use splashdown_render::run::{Role, Run};
use splashdown_run::output::lock;
use splashdown_run::scene::stored::StoredScene;

use crate::folder::Folder;
use crate::frame::QUANTITIES;
use crate::tables;

/// Colours of a ramp that the page gets; it interpolates between them.
const RAMP_COLORS: usize = 64;
/// Colours of fluids and bodies; both repeat after a divisor of this.
const PALETTE: usize = 30;

/// Everything that stays as it is.
pub fn manifest(folder: &Folder, run: &Run) -> Result<Value, RenderError> {
    let info = run_info(folder);
    let bounds = framing::of(run)?.bounds;
    let vector = |v: DVec3| v.to_array().to_vec();
    let role = |role: Role| match role {
        Role::Obstacle => "obstacle",
        Role::Container => "container",
        Role::Sheet => "sheet",
    };
    let solids: Vec<Value> =
        run.solids.iter().map(|(name, kind)| json!({"name": name, "role": role(*kind)})).collect();
    let fluids: Vec<&String> = run.fluids.iter().map(|(name, _)| name).collect();
    let quantities: Vec<Value> = QUANTITIES
        .iter()
        .filter(|quantity| quantity.name != "velocity_z" || !run.is_2d)
        .map(|q| json!({"name": q.name, "label": q.label, "unit": q.unit, "ramp": q.ramp}))
        .collect();
    Ok(json!({
        "title": run.title,
        "description": run.scene.description,
        "scene": info.get("scene").cloned().unwrap_or(Value::Null),
        "version": info.get("version").cloned().unwrap_or(Value::Null),
        "directory": folder.root().file_name().map(|name| name.to_string_lossy()),
        "dimension": if run.is_2d { 2 } else { 3 },
        "spacing": run.spacing,
        "up": vector(run.up),
        "frames_per_second": run.frames_per_second,
        "duration": run.scene.duration,
        "bounds": {"min": vector(bounds.min), "max": vector(bounds.max)},
        "fluids": fluids,
        "solids": solids,
        "quantities": quantities,
        "ramps": {
            "water": ramp(Ramp::Water), "ember": ramp(Ramp::Ember), "meadow": ramp(Ramp::Meadow),
        },
        "fluid_colors": (0..PALETTE).map(|k| hex(color::of_fluid(k))).collect::<Vec<_>>(),
        "solid_colors": (0..PALETTE).map(|k| hex(color::of_solid(k))).collect::<Vec<_>>(),
        "parameters": parameters(&run.scene),
        "text": run.text,
    }))
}

/// Everything that changes while a run goes on.
pub fn state(folder: &Folder, run: &Run) -> Value {
    let tables: Vec<Value> = tables::list(folder)
        .iter()
        .map(|table| json!({"name": table.name, "bytes": table.bytes}))
        .collect();
    json!({"frames": run.frames, "running": lock::is_held(folder.root()), "tables": tables})
}

/// Every key of the scene with its value, defaults included.
pub fn parameters(scene: &StoredScene) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    flatten("", &scene.values, &mut rows);
    rows
}

fn flatten(key: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| flatten(&below(name), value, rows));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (k, item) in items.iter().enumerate() {
                let name = item.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
                flatten(&below(&name.map_or(k.to_string(), str::to_owned)), item, rows);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => rows.push((key.to_owned(), text.clone())),
        other => rows.push((key.to_owned(), other.to_string().replace(',', ", "))),
    }
}

/// What `run.json` says.
pub fn run_info(folder: &Folder) -> Map<String, Value> {
    let text = folder.file("run.json").and_then(|path| std::fs::read_to_string(path).ok());
    let value = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    match value {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(), // a run without it can still be looked at
    }
}

fn ramp(ramp: Ramp) -> Vec<String> {
    (0..RAMP_COLORS).map(|k| hex(ramp.at(k as f32 / (RAMP_COLORS - 1) as f32))).collect()
}

fn hex(color: Linear) -> String {
    let [r, g, b] = ToSrgb::new().bytes(color);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_names_defaults_and_no_empty_values() {
        let text = splashdown_run::scene::gallery::find("dam-break").unwrap().text;
        let rows = parameters(&StoredScene::parse(text).unwrap());
        let find = |key: &str| rows.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
        assert_eq!(find("simulation.spacing"), Some("0.02"));
        assert_eq!(find("output.frames_per_second"), Some("30.0"), "a default");
        assert_eq!(find("fluid.water.density"), Some("1000.0"));
        assert_eq!(find("solid.tank.shape.tank.max"), Some("[1.6, 1.0, 0.6]"));
        assert!(rows.iter().all(|(_, value)| !value.is_empty() && value != "null"));
    }
}
