//! probe
use splashdown::math::*;
use splashdown::motion::Motion;
use splashdown::world::*;
fn tank(h: f64, size: DVec3, two: bool) -> Vec<DVec3> {
    let n = (size / h).round();
    let mut out = vec![];
    let (nx, ny, nz) = (n.x as i32, n.y as i32, if two { 0 } else { n.z as i32 });
    for x in -1..=nx {
        for y in -1..=ny {
            for z in if two { 0..=0 } else { -1..=nz } {
                let edge =
                    x == -1 || x == nx || y == -1 || y == ny || (!two && (z == -1 || z == nz));
                if edge {
                    out.push(DVec3::new(
                        (x as f64 + 0.5) * h,
                        (y as f64 + 0.5) * h,
                        if two { 0.0 } else { (z as f64 + 0.5) * h },
                    ));
                }
            }
        }
    }
    out
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: i32 = a[1].parse().unwrap();
    let steps: usize = a[2].parse().unwrap();
    let threads: usize = a[3].parse().unwrap();
    let tol: f64 = a.get(4).map_or(5e-4, |s| s.parse().unwrap());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let h = 1.0 / n as f64;
    let mut w = World::new(Dimension::Three, h);
    let mut p = vec![];
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                p.push(DVec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * h);
            }
        }
    }
    w.add_fluid("water", 1000.0, Viscosity::default(), &p, |_| DVec3::ZERO);
    let local = tank(h, DVec3::new(3.0, 2.0, 1.0), false);
    w.add_solid(Solid {
        name: "tank".into(),
        range: 0..0,
        local,
        pose: Pose::IDENTITY,
        placement: Pose::IDENTITY,
        motion: Motion::Static,
        inset: h / 2.0,
        load: Load::default(),
        surface: TriangleMesh::default(),
    });
    w.pressure.density_error = tol;
    w.pressure.divergence_error = 1e-3;
    println!("{} fluid {} all", w.fluid_count(), w.particles.len());
    let mut sec = [0.0; PHASES.len()];
    let (mut itd, mut itv) = (0u64, 0u64);
    let t0 = std::time::Instant::now();
    for s in 0..steps {
        let r = w.step(1e9).unwrap();
        if s > 0 {
            sec.iter_mut().zip(r.seconds).for_each(|(sum, s)| *sum += s);
            itd += r.density_iterations as u64;
            itv += r.divergence_iterations as u64;
        }
        if s % (steps / 10).max(1) == 0 {
            println!(
                "t {:.4} dt {:.5} it {} {} err {:.2e} maxc {:.3} vmax {:.2} ret {}",
                r.time,
                r.dt,
                r.divergence_iterations,
                r.density_iterations,
                r.density_error,
                r.max_compression,
                w.max_speed(),
                r.retries
            );
        }
    }
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = stat.split_whitespace().collect();
    let cpu = (f[13].parse::<f64>().unwrap() + f[14].parse::<f64>().unwrap()) / 100.0;
    let share = cpu / t0.elapsed().as_secs_f64();
    for s in &mut sec {
        *s *= share;
    }
    println!("cpu {cpu} share {share:.2}");
    let np = w.fluid_count() as f64 * (steps - 1) as f64;
    for k in 0..PHASES.len() {
        println!("{:20} {:8.1} ns/particle/step", PHASES[k], sec[k] / np * 1e9);
    }
    println!(
        "density iter {:.1}/step {:.1} ns/p/it; div {:.1}/step {:.1} ns",
        itd as f64 / (steps - 1) as f64,
        sec[4] * 1e9 / (itd as f64 * w.fluid_count() as f64),
        itv as f64 / (steps - 1) as f64,
        sec[2] * 1e9 / (itv as f64 * w.fluid_count() as f64)
    );
    println!(
        "total {:.2}s load {:?}",
        t0.elapsed().as_secs_f64(),
        w.solids[0].load.pressure / w.solids[0].load.duration
    );
    let rss = std::fs::read_to_string("/proc/self/status").unwrap();
    for l in rss.lines().filter(|l| l.starts_with("VmHWM")) {
        println!("{l}");
    }
    let front = w.particles.position[..w.fluid_count()].iter().map(|p| p.x).fold(0.0, f64::max);
    println!("front {front}");
}
