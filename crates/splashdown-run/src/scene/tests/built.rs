//! Scenes as worlds.

use super::*;
use crate::math::{DVec3, Dimension};
use crate::scene::estimate::estimate;
use crate::world::BoundaryPressure;

fn build(text: &str) -> Built {
    match parse(text).and_then(|scene| scene.build()) {
        Ok(built) => built,
        Err(errors) => panic!("{text}\n{errors}"),
    }
}

const TANK: &str = "[[solid]]\nname = \"tank\"\nshape.tank = { size = [1, 1, 1] }\n";

#[test]
fn every_builtin_scene_builds_and_runs_a_few_steps() {
    for builtin in gallery::list() {
        if ["dam-break-1m", "sessile-droplet-268k"].contains(&builtin.name) {
            continue; // the same as dam-break-100k but ten times the work
        }
        let built = match Scene::builtin(builtin.name, &[]).and_then(|scene| scene.build()) {
            Ok(built) => built,
            Err(errors) => panic!("{errors}"),
        };
        let estimate = estimate(&built);
        println!("{}: {estimate:?}\n{:?}\n", builtin.name, built.notes);
        assert!(estimate.warnings.is_empty(), "{}: {:?}", builtin.name, estimate.warnings);
        // A lattice does not fit a round vessel, and some things stand in the water by intention.
        let is_wet = |note: &String| {
            let wet = [
                "vessel",
                "paddle",
                "ball",
                "tube",
                "vane",
                "propeller",
                "anchor",
                "link",
                "shackle",
                "buoy",
                "bell",
                "leg",
                "petticoat",
                "skirt",
                "spoon",
            ];
            wet.iter().any(|name| note.contains(&format!("carved away by `{name}")))
        };
        // Bubbles are filled first, and the liquid around them later.
        let is_bubble = |note: &String| {
            builtin.name == "soap-bubbles" && note.contains("carved away by fluid filled before")
        };
        // Scenes after a paper have its stiffness.
        let is_soft = |note: &String| note.starts_with("pressure.stiffness");
        let is_expected = |note: &&String| is_wet(note) || is_bubble(note) || is_soft(note);
        let unexpected: Vec<_> = built.notes.iter().filter(|note| !is_expected(note)).collect();
        assert!(unexpected.is_empty(), "{}: {unexpected:?}", builtin.name);
        let mut world = built.world;
        let steps = if world.particles.len() < 30_000 { 3 } else { 0 }; // more would take long
        for _ in 0..steps {
            if let Err(error) = world.step(f64::INFINITY) {
                panic!("{}: {error}", builtin.name);
            }
        }
    }
}

/// After the figures of Xie 2023, chapter 6, and ours beside them.
const BODIES_IN_WATER: [&str; 16] = [
    "bob",
    "viscous-creature",
    "wet-cube-on-cloth",
    "shoot-creature",
    "dam-break-proxy",
    "liquid-into-bowl",
    "liquid-and-bowl-on-torus",
    "buoyancy-elephants",
    "varying-friction",
    "wring-water",
    "cream",
    "angry-cow",
    "kicking-water",
    "water-balloon",
    "jellyfish",
    "flag-in-rain",
];

#[test]
fn scenes_of_bodies_in_water_make_steps_by_both_solvers() {
    for name in BODIES_IN_WATER {
        let spacing = Scene::builtin(name, &[]).unwrap().file.simulation.spacing;
        // A spoon of coarser elements has no handle.
        let coarser = if name == "cream" { 1.0 } else { 2.0 };
        for solver in ["variational", "dfsph"] {
            let overrides = [
                format!("simulation.spacing={}", coarser * spacing),
                format!("pressure.solver={solver}"),
            ];
            let built = match Scene::builtin(name, &overrides).and_then(|scene| scene.build()) {
                Ok(built) => built,
                Err(errors) => panic!("{name}, {solver}: {errors}"),
            };
            let mut world = built.world;
            for _ in 0..2 {
                let step = world.step(f64::INFINITY);
                let report = step.unwrap_or_else(|error| panic!("{name}, {solver}: {error}"));
                assert_eq!(report.retries, 0, "{name}, {solver}");
            }
        }
    }
}

/// A cube of jelly with these keys.
fn jelly(keys: &str) -> String {
    format!(
        "simulation.spacing = 0.1\ntime_step.fixed = 0.01\n[[elastic]]\nname = \"jelly\"\n\
         youngs_modulus = 1e5\nshape.box = {{ size = [0.4, 0.4, 0.4] }}\n{keys}\n"
    )
}

#[test]
fn what_is_held_until_a_time_falls_from_then_on() {
    let text = jelly("element_size = 0.4\nhold = [{ box = { size = [1, 1, 1] }, end = 0.1 }]");
    let mut world = build(&text).world;
    let mut fallen_at = |time: f64| {
        while world.clock.time < time - 1e-9 {
            world.step(time).unwrap();
        }
        -0.2 - world.elastic.solids.position[0].y
    };
    let held = fallen_at(0.1);
    assert!(held.abs() < 1e-3, "{held}");
    let fallen = fallen_at(0.3);
    assert!((fallen / (0.5 * 9.81 * 0.04) - 1.0).abs() < 0.1, "{fallen}");
}

#[test]
fn elements_are_measured_in_metres_or_in_spacings() {
    let vertices = |keys: &str| build(&jelly(keys)).world.elastic.solids.rest.len();
    assert_eq!(vertices("element_spacings = 2"), vertices("element_size = 0.2"));
    let both = parse(&jelly("element_spacings = 2\nelement_size = 0.2")).unwrap_err();
    assert!(both.to_string().contains("excludes element_size"), "{both}");
}

#[test]
fn a_fluid_may_have_the_shape_of_a_creature() {
    let text = GOOD.replace("box = { size = [1, 1, 1] }", "rabbit.height = 2");
    let built = build(&text);
    let volume = crate::shapes::library::rabbit(2.0).volume();
    let count = built.world.fluids[0].range.len() as f64;
    assert!((count * 1e-3 / volume - 1.0).abs() < 0.1, "{count} {volume}");
}

#[test]
fn the_bench_scene_has_its_exact_number_of_particles() {
    let built = Scene::builtin("dam-break-100k", &[]).unwrap().build().unwrap();
    assert_eq!(built.world.fluids[0].range, 0..46 * 46 * 46);
}

#[test]
fn a_tank_full_of_water_has_exactly_its_mass() {
    let built = build(&format!("{GOOD}{TANK}"));
    let world = &built.world;
    assert_eq!(world.fluids[0].range, 0..1000);
    assert_eq!(built.notes, Vec::<String>::new());
    assert_eq!(world.solids[0].range.start, 1000);
    assert_eq!(world.solids[0].range.end, world.particles.len());
    assert!(world.particles.id.iter().enumerate().all(|(i, id)| i as u32 == *id));
    assert_eq!(world.particles.density[999], 1000.0);
    assert_eq!(world.particles.density[1000], 0.0);
    // Between the outermost fluid and the wall's samples is one spacing.
    let nearest = world.particles.position[1000..]
        .iter()
        .flat_map(|w| world.particles.position[..1000].iter().map(move |f| f.distance(*w)))
        .fold(f64::INFINITY, f64::min);
    assert!((nearest - 0.1).abs() < 1e-9, "{nearest}");
}

#[test]
fn obstacles_are_carved_out_with_a_note() {
    let block = "[[solid]]\nname = \"block\"\nshape.box = { size = [0.4, 0.4, 0.4] }\n";
    let built = build(&format!("{GOOD}{TANK}{block}"));
    assert_eq!(built.world.fluids[0].range.len(), 1000 - 64);
    let note = "fluid[0].fill[0]: 64 of 1000 particles carved away by `block`, one at [";
    assert!(built.notes.len() == 1 && built.notes[0].starts_with(note), "{:?}", built.notes);
}

#[test]
fn where_fluids_overlap_the_later_loses() {
    let oil =
        "[[fluid]]\nname = \"oil\"\nfill = [{ shape.box.size = [1, 1, 1], at = [0.5, 0, 0] }]\n";
    let built = build(&format!("{GOOD}{oil}"));
    assert_eq!(built.world.fluids[0].range.len(), 1000);
    assert_eq!(built.world.fluids[1].range.len(), 500);
    assert!(built.notes[0].contains("500 particles carved away by fluid filled before"));
}

#[test]
fn a_scene_whose_fluid_is_all_carved_away_is_refused() {
    let rock = "[[solid]]\nname = \"rock\"\nshape.box = { size = [2, 2, 2] }\n";
    let errors = parse(&format!("{GOOD}{rock}")).unwrap().build().unwrap_err();
    assert!(errors.to_string().contains("fluid[0]: not one particle of it is left"), "{errors}");
}

/// Nothing is inside of it, and no solid is to blame for that.
#[test]
fn fluid_in_a_mesh_with_a_hole_is_refused_for_the_hole() {
    let dir = tempfile::tempdir().unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    std::fs::write(dir.path().join("sail.obj"), square).unwrap();
    let text = "simulation.spacing = 0.1\n[[fluid]]\nname = \"water\"\n[[fluid.fill]]\n\
                shape.mesh.file = \"sail.obj\"\n";
    let scene = Scene::parse("sail.toml", text, dir.path(), &[]).unwrap();
    let errors = scene.build().unwrap_err().to_string();
    assert!(errors.contains("fluid[0].fill[0].shape: is not closed"), "{errors}");
    assert!(!errors.contains("outside of solids"), "{errors}");
}

#[test]
fn initial_velocities_follow_formulas_and_spin() {
    let text = GOOD.replace(
        "name = \"water\"",
        "name = \"water\"\nvelocity = [\"-y\", \"x\", 1]\nangular_velocity = [0, 0, 180]",
    );
    let world = build(&text).world;
    let (p, v) = (world.particles.position[17], world.particles.velocity[17]);
    let expected = DVec3::Z.cross(p) * (1.0 + std::f64::consts::PI) + DVec3::Z;
    assert!((v - expected).length() < 1e-12);
}

#[test]
fn a_kinematic_body_starts_where_its_motion_says() {
    let ball = "[[solid]]\nname = \"ball\"\nshape.sphere.radius = 0.2\nat = [3, 0, 0]\n\
                motion.expressions = { position = [\"1 + t\", 0, 0] }\n";
    let solid = &build(&format!("{GOOD}{ball}")).world.solids[0];
    assert_eq!(solid.placement.translation, DVec3::new(3.0, 0.0, 0.0));
    assert_eq!(solid.pose.translation, DVec3::new(4.0, 0.0, 0.0));
}

#[test]
fn two_dimensional_scenes_are_built_in_the_plane() {
    let built = Scene::builtin("hydrostatic-2d", &[]).unwrap().build().unwrap();
    let world = &built.world;
    assert_eq!(world.dimension, Dimension::Two);
    assert_eq!(world.fluids[0].range.len(), 50 * 100);
    assert!(world.particles.position.iter().all(|p| p.z == 0.0));
}

#[test]
fn meshes_and_particles_are_read_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let tetrahedron = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(directory.path().join("tetrahedron.obj"), tetrahedron).unwrap();
    std::fs::write(directory.path().join("drops.csv"), "x,y,z\n5,0,0\n6,0,0\n").unwrap();
    let text =
        GOOD.replace("shape.box = { size = [1, 1, 1] }", "shape.particles.file = \"drops.csv\"");
    let text = format!(
        "{text}[[solid]]\nname = \"t\"\nshape.mesh = {{ file = \"tetrahedron.obj\", scale = 0.5 \
         }}\n"
    );
    let scene = Scene::parse("test.toml", &text, directory.path(), &[]).unwrap();
    let built = scene.build().unwrap();
    assert_eq!(built.world.fluids[0].range.len(), 2);
    assert!(built.world.solids[0].range.len() > 50);

    std::fs::write(directory.path().join("tetrahedron.obj"), "nonsense").unwrap();
    let errors = scene.build().unwrap_err();
    assert_eq!(errors.errors[0].key, "solid[0].shape.mesh.file");
}

#[test]
fn estimates_count_what_emitters_add() {
    let emitter = "[[emitter]]\nname = \"e\"\nfluid = \"water\"\nopening.box.width = 0.2\n\
                   at = [0, 3, 0]\ndirection = [1, 0, 0]\nspeed = 1\n";
    let estimate = estimate(&build(&format!("{GOOD}{TANK}{emitter}")));
    assert_eq!(estimate.fluid_particles, 1000);
    assert!((80..=88).contains(&estimate.emitted_particles), "{estimate:?}");
    assert_eq!(estimate.objects.len(), 2);
    assert!(estimate.memory_at_end > estimate.memory);
}

#[test]
fn a_liquid_has_its_density_viscosity_and_tension_unless_others_are_written() {
    let mercury = GOOD.replacen("name = \"water\"", "name = \"water\"\nliquid = \"mercury\"", 1);
    let glass = "[[solid]]\nname = \"plate\"\nshape.box = { min = [-1, -1, -1], max = [1, -0.6, 1] \
                 }\n\
                 surface.material = \"glass\"\n";
    let world = build(&format!("{mercury}{glass}")).world;
    assert_eq!(world.fluids[0].density, 13546.0);
    assert_eq!(world.fluids[0].viscosity.dynamic(), 1.55e-3);
    let crate::boundary::Wetting::Angle(angle) = &world.solids.last().unwrap().wetting else {
        panic!()
    };
    assert_eq!([angle.degrees.at(0.0), angle.tension.at(0.0)], [140.0, 0.4865]);
    let heavier = mercury.replacen("liquid =", "density = 13600\nliquid =", 1);
    assert_eq!(build(&heavier).world.fluids[0].density, 13600.0);
    // To compare with: the same scene without tension.
    let slack = mercury.replacen("liquid =", "surface.tension = 0\nliquid =", 1);
    assert!(!build(&format!("{slack}{glass}")).world.has_tension());
}

#[test]
fn drops_of_a_shower_appear_and_are_counted_beforehand() {
    let shower = "[[shower]]\nname = \"rain\"\nfluid = \"water\"\nradius = 0.2\n\
                  drops_per_second = 4\nplaces = [[0, 4, 0], [1, 4, 0]]\nvelocity = [0, -1, 0]\n";
    let built = build(&format!("{GOOD}{TANK}{shower}"));
    let size = built.world.drop_emitters[0].drop.len();
    assert_eq!(estimate(&built).emitted_particles, 2 * size as u64);
    let mut world = built.world;
    world.step(1e-3).unwrap();
    assert_eq!(world.fluid_count(), 1000 + size);
    while world.clock.time < 0.3 {
        world.step(0.3).unwrap();
    }
    assert_eq!(world.fluid_count(), 1000 + 2 * size);
}

#[test]
fn walls_mirror_where_there_are_bodies() {
    let boundary = |text: &str| build(text).world.method.particles().pressure.boundary;
    let body =
        "[[solid]]\nname = \"ball\"\nshape.sphere.radius = 0.2\nat = [0, 2, 0]\ndensity = 500\n";
    assert_eq!(boundary(&format!("{GOOD}{TANK}")), BoundaryPressure::Zero);
    assert_eq!(boundary(&format!("{GOOD}{body}")), BoundaryPressure::Mirrored);
    let zero = format!("{GOOD}{body}[pressure]\nboundary = \"zero\"\n");
    assert_eq!(boundary(&zero), BoundaryPressure::Zero);
}

#[test]
fn fluid_keeps_away_from_thick_sheets_and_rods_and_it_is_said_from_which() {
    let fill = "[[fluid]]\nname = \"water\"\nfill = [{ shape.box.size = [0.6, 0.6, 0.6] }]\n";
    let body = |text: &str| format!("[[elastic]]\nyoungs_modulus = 1e5\n{text}");
    let rope = "name = \"rope\"\nkind = \"rod\"\nthickness = 0.2\nelement_size = 0.3\n\
                points = [[-1, 0, 0], [1, 0, 0]]\n";
    let plate = "name = \"plate\"\nkind = \"shell\"\nthickness = 0.2\nelement_size = 0.8\n\
                 shape.plane.size = 1\n";
    for (name, text, axis) in
        [("rope", rope, DVec3::new(0.0, 1.0, 1.0)), ("plate", plate, DVec3::Y)]
    {
        let text = format!("simulation.spacing = 0.05\n{fill}{}", body(text));
        let Built { world, notes, .. } = parse(&text).unwrap().build().unwrap();
        let away = world.particles.position[..world.fluid_count()].iter();
        let nearest = away.map(|x| (*x * axis).length()).fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.12, "{name}: {nearest}");
        let said = format!("particles carved away by `{name}`, one at [");
        assert!(notes.iter().any(|note| note.contains(&said)), "{notes:?}");
    }
}
