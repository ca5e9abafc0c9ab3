//! The quick validation cases, as `splashdown validate` runs them.

use splashdown::validate::{Verdict, cases};

fn passes(name: &str) {
    let case = cases().find(|case| case.name == name).expect("a case of that name");
    let report = case.measure(|_| ());
    let metrics = &report.metrics;
    let failed: Vec<_> =
        metrics.iter().filter(|metric| metric.verdict() == Verdict::Fail).collect();
    assert!(!metrics.is_empty() && failed.is_empty(), "{failed:#?}");
    for curve in &report.curves {
        let series = || curve.measured.iter().chain(&curve.reference);
        assert!(!curve.measured.is_empty() && !curve.reference.is_empty(), "{}", curve.name);
        let sound = |p: &[f64; 2]| p.iter().all(|x| x.is_finite());
        assert!(
            series().all(|s| s.points.len() > 1 && s.points.iter().all(sound)),
            "{}",
            curve.name
        );
    }
    let has_curve = ["poiseuille", "couette", "chain"].contains(&name);
    assert!(!has_curve || !report.curves.is_empty());
}

#[test]
fn poiseuille_flow_follows_the_analytic_series() {
    passes("poiseuille");
}

#[test]
fn couette_flow_follows_the_analytic_series() {
    passes("couette");
}

#[test]
fn an_interrupted_run_writes_the_same_bytes() {
    passes("restart");
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    passes("threads");
}

#[test]
fn a_box_slides_when_coulomb_says_so_and_does_not_creep_before() {
    passes("incline");
}

#[test]
fn a_heavy_cube_rests_on_a_light_one() {
    passes("mass-ratio");
}

#[test]
fn eight_boxes_stand_on_each_other() {
    passes("box-stack");
}

#[test]
fn tips_edges_and_rims_neither_sink_in_nor_gain_energy() {
    passes("degenerate");
}

#[test]
fn a_round_tower_of_ten_storeys_stands() {
    passes("tower");
}

#[test]
fn a_house_of_cards_of_three_storeys_stands() {
    passes("card-house");
}

#[test]
fn a_chain_of_ten_rings_is_hardly_longer_than_they_are() {
    passes("chain");
}

#[test]
fn colliding_bodies_keep_their_momentum_dry_and_in_water() {
    passes("momentum");
}

#[test]
fn forces_of_tension_are_the_derivatives_of_its_energy() {
    passes("tension-derivatives");
}

#[test]
fn tension_and_friction_of_drops_give_nobody_momentum() {
    passes("droplet-momentum");
}

#[test]
fn derivatives_of_elastic_energies_agree_with_finite_differences() {
    passes("derivatives");
}

#[test]
fn an_even_deformation_stays_even() {
    passes("patch-test");
}

#[test]
fn an_elastic_body_keeps_momentum_and_loses_energy_as_its_method_does() {
    passes("energy");
}

#[test]
fn a_soft_block_slides_when_coulomb_says_so() {
    passes("incline-ipc");
}

#[test]
fn a_box_slides_as_far_as_coulomb_says_and_a_pendulum_keeps_its_swing_with_all_defaults() {
    passes("sliding-ipc");
}

#[test]
fn thin_plates_and_balloons_agree_with_theory() {
    passes("shell");
}

#[test]
fn ropes_hang_and_columns_buckle_as_theory_says() {
    passes("rod");
}
