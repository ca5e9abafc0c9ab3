//! Prints random distances, collision times, barrier and friction values as JSON lines, for
//! comparison with another implementation such as `ipctk`:
//!
//! ```text
//! cargo run --release -p splashdown-solids --example oracle -- pairs|ccd|barrier|friction
//! ```

use glam::DVec3;
use splashdown_solids::barrier::{barrier, barrier_curvature, barrier_slope};
use splashdown_solids::ccd::safe_share;
use splashdown_solids::contact::Kind;
use splashdown_solids::friction::{f0, f1_over_y};
use splashdown_solve::dense::stacked;
use splashdown_solve::differences::Random;

const KINDS: [(&str, Kind); 2] = [("pt", Kind::PointTriangle), ("ee", Kind::EdgeEdge(0.0))];

fn flat(x: &[DVec3]) -> Vec<f64> {
    x.iter().flat_map(|p| p.to_array()).collect()
}

fn main() {
    let mut random = Random::new(99);
    match std::env::args().nth(1).as_deref() {
        Some("pairs") => pairs(&mut random),
        Some("ccd") => collisions(&mut random),
        Some("barrier") => {
            for k in 1..200 {
                // In squared distances, as IPC has it: d̂⁴ b(d²/d̂²).
                let (reach, s) = (0.01, f64::from(k) / 200.0);
                let (d2, h) = (s * reach * reach, f64::powi(reach, 2));
                let (b, b1, b2) = (h * h * barrier(s), h * barrier_slope(s), barrier_curvature(s));
                println!(r#"{{"d2":{d2:e},"dhat":{reach},"b":{b:e},"b1":{b1:e},"b2":{b2:e}}}"#);
            }
        }
        Some("friction") => {
            for k in 1..200 {
                let (eps, y) = (1e-3, 2e-5 * f64::from(k));
                let (f0, f1) = (f0(y, eps), y * f1_over_y(y, eps));
                println!(r#"{{"y":{y:e},"eps":{eps},"f0":{f0:e},"f1":{f1:e}}}"#);
            }
        }
        _ => eprintln!("what: pairs, ccd, barrier or friction"),
    }
}

fn pairs(random: &mut Random) {
    for (name, kind) in KINDS {
        for k in 0..400 {
            let mut x = random.points();
            if k % 8 == 0 && name == "ee" {
                x[3] = x[2] + (x[1] - x[0]) * 0.8 + 1e-3 * random.vector(); // nearly parallel
            }
            let closest = kind.closest(&x);
            let d2 = closest.squared(&x);
            let gradient = stacked(closest.gradient(&x));
            let hessian = closest.hessian(&x);
            let rows: Vec<Vec<f64>> =
                hessian.row_iter().map(|row| row.iter().copied().collect()).collect();
            println!(
                r#"{{"kind":"{name}","x":{:?},"d2":{d2:e},"grad":{:?},"hess":{rows:?}}}"#,
                flat(&x),
                gradient.as_slice()
            );
        }
    }
}

fn collisions(random: &mut Random) {
    for (name, kind) in KINDS {
        for k in 0..400 {
            let x = random.points();
            let size = [0.5, 2.0, 20.0][k % 3];
            let p = random.points().map(|p| size * p);
            let after = [0, 1, 2, 3].map(|k| x[k] + p[k]);
            let share = safe_share(kind, &x, &p, 0.0, 1.0);
            let toi = if share < 1.0 { share.to_string() } else { "null".to_owned() };
            println!(
                r#"{{"kind":"{name}","x0":{:?},"x1":{:?},"toi":{toi}}}"#,
                flat(&x),
                flat(&after)
            );
        }
    }
}
