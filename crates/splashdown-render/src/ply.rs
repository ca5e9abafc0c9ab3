//! Reads the PLY frames that `splashdown_run::output::ply` writes.

use splashdown_geometry::math::DVec3;
use splashdown_run::output::frame::Points;

/// Bytes of a particle: three doubles, five floats, two integers.
const RECORD: usize = 52;

/// Reads the particles of a frame.
pub fn read_points(file: &[u8]) -> Result<Points, String> {
    // What our own writer says about no particles, with any number in place of the zero.
    let mut header = Vec::new();
    splashdown_run::output::ply::write(&mut header, &Points::default())
        .map_err(|e| e.to_string())?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let (before, after) = header.split_once(" 0\n").ok_or("has an unknown header")?;
    let not_ours = || "is not a PLY file of a Splashdown frame".to_owned();
    let rest = file.strip_prefix(before.as_bytes()).ok_or_else(not_ours)?;
    let line = rest.iter().take(24).position(|&b| b == b'\n').ok_or_else(not_ours)?;
    let count = std::str::from_utf8(&rest[..line]).map_err(|_| not_ours())?;
    let count: usize = count.trim().parse().map_err(|_| not_ours())?;
    let data = rest[line + 1..].strip_prefix(after.as_bytes()).ok_or_else(not_ours)?;
    if count.checked_mul(RECORD) != Some(data.len()) {
        return Err(format!("has {} bytes for {count} particles of {RECORD}", data.len()));
    }
    let mut points = Points::default();
    for record in data.chunks_exact(RECORD) {
        let double = |at: usize| bytemuck::pod_read_unaligned::<f64>(&record[at..at + 8]);
        let word = |at: usize| bytemuck::pod_read_unaligned::<u32>(&record[at..at + 4]);
        let float = |at: usize| f32::from_bits(word(at));
        points.position.push(DVec3::new(double(0), double(8), double(16)));
        points.velocity.push([float(24), float(28), float(32)]);
        points.pressure.push(float(36));
        points.density.push(float(40));
        points.id.push(word(44));
        points.fluid.push(word(48));
    }
    Ok(points)
}
