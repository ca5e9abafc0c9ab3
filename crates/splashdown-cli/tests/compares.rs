//! Comparisons and estimates by the real program.

mod common;

use std::fs;

use common::*;
use serde_json::Value;

const BODY: &str = r#"
simulation = { dimension = 2, spacing = 0.04, duration = 0.06 }
output = { frames_per_second = 50 }
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0], max = [0.8, 0.4] }
[[solid]]
name = "tank"
shape.tank = { min = [0, 0], max = [0.8, 1] }
[[solid]]
name = "ball"
shape.sphere = { radius = 0.08 }
at = [0.4, 0.6]
density = 500
[[probe]]
name = "gauge"
quantity = "level"
at = [0.1, 0]
"#;

const SOFT: &str = r#"
simulation = { spacing = 0.1, duration = 0.05 }
time_step = { fixed = 0.01 }
[[solid]]
name = "floor"
shape.box = { min = [-1, -0.1, -1], max = [1, 0, 1] }
[[elastic]]
name = "cube"
shape.box = { size = [0.2, 0.2, 0.2] }
at = [0, 0.12, 0]
youngs_modulus = 1e5
"#;

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("body.toml"), BODY).unwrap();
    fs::write(place.path("soft.toml"), SOFT).unwrap();
    place
}

/// The rows of a comparison by `--json`.
fn rows(place: &Place, line: &str) -> Vec<Value> {
    let text = place.succeed(&format!("compare {line} --json"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["variant"].as_str().unwrap()).collect()
}

#[test]
fn a_comparison_is_of_what_can_differ_in_the_scene() {
    let place = place();
    let water = rows(&place, "small.toml --until 0.02");
    assert_eq!(
        names(&water),
        [
            "as written",
            "iisph",
            "variational",
            "mirrored",
            "extrapolated",
            "inviscid",
            "xsph",
            "weiler2018",
            "laplacian"
        ]
    );
    assert!(water.iter().all(|row| row["finished"] == true), "{water:?}");
    let has = |row: &Value, name: &str| row["figures"][name].is_number();
    for name in ["ms_per_step", "pressure_iterations", "kinetic_energy_j", "gauge_level_m"] {
        assert!(has(&water[0], name), "{name}: {}", water[0]);
    }
    assert!(!has(&water[0], "contact_iterations") && !has(&water[0], "newton_iterations"));
    assert!(has(&water[7], "viscosity_iterations"), "{}", water[7]);

    let both = rows(&place, "body.toml --methods weak,interlinked,monolithic");
    assert_eq!(names(&both), ["weak", "interlinked", "monolithic"]);
    for name in ["contact_iterations", "ball_y_m", "tank_mean_force_y_n", "gauge_level_m"] {
        assert!(has(&both[0], name), "{name}: {}", both[0]);
    }
    let soft = rows(&place, "soft.toml --until 0.02");
    assert_eq!(names(&soft)[..3], ["as written", "implicit-euler", "quadratic"]);
    for name in ["newton_iterations", "elastic_energy_j", "cube_y_m"] {
        assert!(has(&soft[0], name), "{name}: {}", soft[0]);
    }
    assert!(!has(&soft[0], "pressure_iterations"), "{}", soft[0]);

    // What makes no difference is not run.
    for (line, words) in [
        ("small.toml --methods weak,monolithic", "no rigid bodies that move"),
        ("soft.toml --methods iisph", "no fluid"),
    ] {
        let output = place.run(&format!("compare {line}"));
        assert_eq!(output.status.code(), Some(2), "{line}");
        let message = stderr(&output);
        assert!(message.contains(words) && message.contains("what can differ in it"), "{message}");
    }
}

#[test]
fn any_key_can_be_varied_and_several_make_all_combinations() {
    let place = place();
    let line = "small.toml --until 0.02 --vary simulation.spacing=0.04,0.02 \
                --vary simulation.gravity=[0,-9.81],[0,-1.62]";
    let rows = rows(&place, line);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[1]["variant"], "simulation.spacing=0.04 simulation.gravity=[0,-1.62]");
    let particles = |k: usize| rows[k]["figures"]["fluid_particles"].as_f64().unwrap();
    assert!(particles(2) > 3.0 * particles(0), "{rows:?}");
    let speed = |k: usize| rows[k]["figures"]["max_speed_m_s"].as_f64().unwrap();
    assert!(speed(0) > 3.0 * speed(1), "{rows:?}");
    let table = fs::read_to_string(place.path("out/small-compare/compare.csv")).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(place.path("out/small-compare/compare.svg").exists());
    for (line, words) in [
        ("--vary simulation.spacin=0.1,0.2", "unknown key (did you mean `spacing`?)"),
        ("--vary fluid.watr.density=1,2", "did you mean `water`?"),
        ("--vary pressure.solver=dfsph,isph", "--vary pressure.solver=isph: pressure.solver"),
        ("--vary simulation.spacing=0.1,-1", "--vary simulation.spacing=-1"),
        ("--vary simulation.spacing", "has no `=`"),
        ("--vary simulation.spacing=0.1,,0.2", "has an empty value"),
        ("--dt 0", "must be above 0 s"),
    ] {
        let output = place.run(&format!("compare small.toml {line} --out bad"));
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains(words), "{line}: {}", stderr(&output));
        assert!(!place.path("bad").exists(), "nothing is made");
    }
}

#[test]
fn a_variant_that_fails_is_a_row_with_its_reason() {
    let place = place();
    // A ball smaller than a particle of the coarse variant cannot be built; the last one is too
    // slow.
    let vary = "--vary simulation.spacing=0.04,0.5,0.03";
    let rows = rows(&place, &format!("body.toml --until 0.02 {vary}"));
    assert_eq!(rows.len(), 3);
    assert_eq!(
        [&rows[0]["finished"], &rows[1]["finished"], &rows[2]["finished"]],
        [true, false, true]
    );
    assert!(rows[1]["verdict"].as_str().unwrap().starts_with("refused: "), "{}", rows[1]);
    let text = place.succeed("compare body.toml --dt 0.01,0.002 --patience 0 --out impatient");
    assert_eq!(text.matches("too slow").count(), 2, "{text}");
}

#[test]
fn kept_runs_can_be_looked_at_and_are_never_replaced_silently() {
    let place = place();
    let text = place.succeed("compare body.toml --methods weak,monolithic --keep");
    for name in ["weak", "monolithic"] {
        let run = format!("out/body-compare/{name}");
        assert!(text.contains(&run), "{text}");
        let scene = fs::read_to_string(place.path(&format!("{run}/scene.toml"))).unwrap();
        assert!(scene.contains(&format!("coupling.method=\"{name}\"")), "{scene}");
        place.succeed(&format!("render {run} --size 64x48 --samples 1"));
        place.succeed(&format!("report {run}"));
        place.succeed(&format!("run --resume --quiet --out {run} --until 0.08"));
    }
    // The next one goes elsewhere.
    place.succeed("compare body.toml --methods weak --keep");
    assert!(place.path("out/body-compare-2/weak/log.csv").exists());

    let line = "compare body.toml --methods weak --keep kept --out table";
    place.succeed(line);
    let before = content(&place.path("kept/weak"));
    assert!(before.contains_key("log.csv") && before.contains_key("fluid.pvd"));
    for line in [line.to_owned(), line.replace("--out table", "--out other")] {
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
    }
    assert_eq!(content(&place.path("kept/weak")), before);
    place.succeed(&format!("{line} --force"));
    assert!(content(&place.path("kept/weak")) == before, "the same run again has the same bytes");
    // Without --keep nothing but table and plot stays.
    place.succeed("compare body.toml --methods weak --out bare");
    assert!(content(&place.path("bare")).keys().eq(["compare.csv", "compare.svg"]));
    assert_eq!(fs::read_dir(place.path("bare")).unwrap().count(), 2);
}

#[test]
fn a_check_estimates_how_long_a_run_takes_and_writes_nothing() {
    let place = place();
    let before = content(&place.path(""));
    let text = place.succeed("check small.toml --time --threads 1 --set simulation.duration=0.05");
    let line = text.lines().find(|line| line.contains("on 1 thread, likely")).unwrap();
    assert!(line.trim_start().starts_with("about "), "{text}");
    assert!(text.contains("judged by all of it, ") && text.contains("steps up to 0.05"), "{text}");
    let text = place.succeed("check soft.toml --time");
    assert!(text.contains("steps; judged by"), "{text}");
    assert!(content(&place.path("")) == before, "nothing is written");
    assert!(!place.succeed("check small.toml").contains("judged"), "unless asked for");
}
