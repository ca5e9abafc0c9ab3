//! Binary little-endian PLY, which nearly every mesh tool reads.

use std::io::{self, Write};

use super::FrameFormat;
use crate::math::DVec3;
use crate::output::frame::Points;

/// Bytes of a particle: three doubles, five floats, two integers.
const RECORD: usize = 52;

/// PLY files.
pub struct Ply;

impl FrameFormat for Ply {
    fn name(&self) -> &'static str {
        "ply"
    }

    fn meaning(&self) -> &'static str {
        "Binary PLY."
    }

    fn extension(&self) -> &'static str {
        "ply"
    }

    fn write(&self, mut out: &mut dyn Write, points: &Points, _radius: f64) -> io::Result<()> {
        write(&mut out, points)
    }

    fn read(&self, file: &[u8]) -> Result<Points, String> {
        read_points(file)
    }
}

/// Writes all fluid particles as vertices with their attributes.
pub fn write(out: &mut impl Write, points: &Points) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment splashdown\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\n\
         property float vx\nproperty float vy\nproperty float vz\n\
         property float pressure\nproperty float density\n\
         property uint id\nproperty uint fluid\nend_header\n",
        points.len()
    )?;
    for i in 0..points.len() {
        for x in points.position[i].to_array() {
            out.write_all(&x.to_le_bytes())?;
        }
        let [u, v, w] = points.velocity[i];
        for x in [u, v, w, points.pressure[i], points.density[i]] {
            out.write_all(&x.to_le_bytes())?;
        }
        out.write_all(&points.id[i].to_le_bytes())?;
        out.write_all(&points.fluid[i].to_le_bytes())?;
    }
    Ok(())
}

/// Reads the particles of a frame.
pub fn read_points(file: &[u8]) -> Result<Points, String> {
    // What our own writer says about no particles, with any number in place of the zero.
    let mut header = Vec::new();
    write(&mut header, &Points::default()).map_err(|e| e.to_string())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;
    use ply_rs_bw::parser::Parser;
    use ply_rs_bw::ply::{DefaultElement, Property};

    #[test]
    fn an_independent_reader_gets_the_same_particles() {
        let points = Points::capture(&small_world());
        let mut file = Vec::new();
        write(&mut file, &points).unwrap();
        let ply = Parser::<DefaultElement>::new().read_ply(&mut &file[..]).unwrap();
        let vertices = &ply.payload["vertex"];
        assert_eq!(vertices.len(), points.len());
        for (i, vertex) in vertices.iter().enumerate() {
            assert_eq!(vertex["y"], Property::Double(points.position[i].y));
            assert_eq!(vertex["vz"], Property::Float(points.velocity[i][2]));
            assert_eq!(vertex["pressure"], Property::Float(points.pressure[i]));
            assert_eq!(vertex["density"], Property::Float(points.density[i]));
            assert_eq!(vertex["id"], Property::UInt(points.id[i]));
            assert_eq!(vertex["fluid"], Property::UInt(points.fluid[i]));
        }
    }
}
