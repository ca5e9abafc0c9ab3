//! Binary little-endian PLY, which nearly every mesh tool reads.

use std::io::{self, Write};

use super::frame::Points;

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
