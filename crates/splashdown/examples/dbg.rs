//! dbg
use splashdown::scene::Scene;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let over: Vec<String> = args[3..].to_vec();
    let s = Scene::open(&args[1], &over).unwrap();
    let mut w = s.build().unwrap().world;
    for _ in 0..args[2].parse::<usize>().unwrap() {
        let r = w.step(1e9).unwrap();
        let n = w.fluid_count();
        let p = &w.particles;
        let mc: f64 = p.density[..n].iter().map(|d| (*d as f64 / 1000.0 - 1.0).max(0.0)).sum::<f64>() / n as f64;
        let im = (0..n).max_by(|a, b| p.density[*a].total_cmp(&p.density[*b])).unwrap();
        let pm: f64 = p.pressure[..n].iter().map(|d| *d as f64).sum::<f64>() / n as f64;
        let pd: f64 = p.divergence_pressure[..n].iter().map(|d| *d as f64).sum::<f64>() / n as f64;
        let pmax = p.pressure[..n].iter().fold(0f32, |a, b| a.max(*b));
        println!("t {:.5} dt {:.2e} it {} {} err {:.1e} meanc {:.1e} maxc {:.3} at ({:.2} {:.2} h) v {:.3} mean p {:.1} pd {:.1} max {:.1} vmax {:.3}", r.time, r.dt, r.divergence_iterations, r.density_iterations, r.density_error, mc, r.max_compression, p.position[im].x / w.spacing, p.position[im].y / w.spacing, p.velocity[im].length(), pm, pd, pmax, w.max_speed());
    }
}
