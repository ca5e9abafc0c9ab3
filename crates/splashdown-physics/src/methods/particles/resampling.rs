//! Samples of elastic bodies come and go between steps, where surfaces are stretched
//! (`deforming::levels`).

use crate::deforming::{NewSample, Resampled};
use crate::math::DVec3;
use crate::particles::store::NewParticle;
use crate::world::{Carrier, World};

/// Lets the samples of every body be as fine as its surface asks for. Who is new is where it rests
/// until it is carried to its mesh.
pub(super) fn resample(world: &mut World) {
    for k in 0..world.solids.len() {
        let solid = &mut world.solids[k];
        let Carrier::Deforming(samples) = &mut solid.carrier else { continue };
        if solid.volume_factor.len() != solid.range.len() {
            continue; // nobody has weighed them: there is no fluid
        }
        let weight = &world.particles.weight[solid.range.clone()];
        let factor = &solid.volume_factor;
        let change = samples.resample(&world.elastic.solids, |k| [weight[k], factor[k]]);
        if let Some(change) = change {
            exchange(world, k, &change);
        }
    }
}

/// Takes out particles of solid `k`, and puts others behind those that stay.
fn exchange(world: &mut World, k: usize, change: &Resampled) {
    let Resampled { keep, new } = change;
    let solid = &mut world.solids[k];
    let range = solid.range.clone();
    let mut stays = vec![true; world.particles.len()];
    stays[range.clone()].copy_from_slice(keep);
    world.particles.retain(&stays);
    let kept = |stays: &mut std::slice::Iter<bool>| *stays.next().unwrap_or(&true);
    let mut own = keep.iter();
    solid.local.retain(|_| kept(&mut own));
    let mut own = keep.iter();
    solid.volume_factor.retain(|_| kept(&mut own));

    let end = range.start + solid.local.len();
    let particle = |(id, sample): (u32, &NewSample)| NewParticle {
        position: sample.local,
        velocity: DVec3::ZERO,
        id,
        weight: sample.weight[0],
        density: 0.0,
    };
    let particles: Vec<NewParticle> = (world.clock.next_id..).zip(new).map(particle).collect();
    world.particles.insert(end, &particles);
    world.clock.next_id += particles.len() as u32;
    solid.local.extend(new.iter().map(|sample| sample.local));
    solid.volume_factor.extend(new.iter().map(|sample| sample.weight[1]));
    solid.range.end = end + new.len();
    let mut next = solid.range.end;
    for later in &mut world.solids[k + 1..] {
        later.range = next..next + later.range.len();
        next = later.range.end;
    }
}
