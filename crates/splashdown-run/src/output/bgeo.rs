//! Gzip-compressed BGEO version 5, the classic particle format of Houdini and partio.
//!
//! Big-endian throughout: a header of counts, a table of attributes, then one record per particle of
//! x, y, z, w and the attributes in the order of the table, then two closing bytes.
//!
//! The velocity is there twice: Houdini takes `v` for motion blur and trails, partio and splashsurf
//! look for `velocity`. `pscale` is the radius that Houdini draws and meshes particles with.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

use super::frame::Points;

const FLOAT: i32 = 0;
const INTEGER: i32 = 1;
const VECTOR: i32 = 5;

/// Name, number of components and type of every attribute after the position.
const ATTRIBUTES: [(&str, u16, i32); 7] = [
    ("id", 1, INTEGER),
    ("velocity", 3, VECTOR),
    ("pressure", 1, FLOAT),
    ("density", 1, FLOAT),
    ("fluid", 1, INTEGER),
    ("v", 3, VECTOR),
    ("pscale", 1, FLOAT),
];
/// Words of a particle: x, y, z, w and the attributes.
const WORDS: usize = 15;

/// Writes all fluid particles of the given radius.
pub fn write(out: &mut impl Write, points: &Points, radius: f64) -> io::Result<()> {
    // The time stamp in the gzip header is fixed: the same frame must give the same bytes.
    let gzip = GzBuilder::new().mtime(0).write(out, Compression::fast());
    let mut out = io::BufWriter::with_capacity(1 << 16, gzip);
    write_header(&mut out, points.len())?;
    for i in 0..points.len() {
        let [x, y, z] = points.position[i].as_vec3().to_array();
        let [u, v, w] = points.velocity[i].map(f32::to_bits);
        let mut record = [0u8; 4 * WORDS];
        let words: [u32; WORDS] = [
            x.to_bits(),
            y.to_bits(),
            z.to_bits(),
            1f32.to_bits(),
            points.id[i],
            u,
            v,
            w,
            points.pressure[i].to_bits(),
            points.density[i].to_bits(),
            points.fluid[i],
            u,
            v,
            w,
            (radius as f32).to_bits(),
        ];
        for (bytes, word) in record.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        out.write_all(&record)?;
    }
    out.write_all(&[0x00, 0xFF])?;
    out.into_inner().map_err(|e| e.into_error())?.finish()?;
    Ok(())
}

fn write_header(out: &mut impl Write, point_count: usize) -> io::Result<()> {
    let count = i32::try_from(point_count)
        .map_err(|_| io::Error::other("BGEO holds at most 2147483647 particles"))?;
    out.write_all(b"BgeoV")?;
    // Version, points, primitives, point groups, primitive groups, then attributes of points,
    // vertices, primitives and the whole.
    for word in [5, count, 0, 0, 0, ATTRIBUTES.len() as i32, 0, 0, 0] {
        out.write_all(&word.to_be_bytes())?;
    }
    for (name, components, kind) in ATTRIBUTES {
        out.write_all(&(name.len() as u16).to_be_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(&components.to_be_bytes())?;
        out.write_all(&kind.to_be_bytes())?;
        for _ in 0..components {
            out.write_all(&0i32.to_be_bytes())?; // default value
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;
    use std::io::Read;

    #[test]
    fn particles_read_back_as_they_were() {
        let points = Points::capture(&small_world());
        let mut file = Vec::new();
        write(&mut file, &points, 0.05).unwrap();
        assert_eq!(file[4..8], [0; 4], "no time stamp");

        let mut raw = Vec::new();
        flate2::read::GzDecoder::new(&file[..]).read_to_end(&mut raw).unwrap();
        let word = |at: usize| u32::from_be_bytes(raw[at..at + 4].try_into().unwrap());
        assert_eq!(&raw[..5], b"BgeoV");
        assert_eq!((word(5), word(9), word(25)), (5, points.len() as u32, 7));
        let table: usize = ATTRIBUTES.iter().map(|(n, c, _)| 8 + n.len() + 4 * *c as usize).sum();
        assert_eq!(raw.len(), 41 + table + 60 * points.len() + 2);
        assert_eq!(raw[raw.len() - 2..], [0x00, 0xFF]);
        for i in 0..points.len() {
            let record = 41 + table + 60 * i;
            assert_eq!(f32::from_bits(word(record)), points.position[i].x as f32);
            assert_eq!(f32::from_bits(word(record + 12)), 1.0);
            assert_eq!(word(record + 16), points.id[i]);
            assert_eq!(f32::from_bits(word(record + 24)), points.velocity[i][1]);
            assert_eq!(f32::from_bits(word(record + 32)), points.pressure[i]);
            assert_eq!(f32::from_bits(word(record + 36)), points.density[i]);
            assert_eq!(word(record + 40), points.fluid[i]);
            assert_eq!(f32::from_bits(word(record + 52)), points.velocity[i][2]);
            assert_eq!(f32::from_bits(word(record + 56)), 0.05);
        }
    }
}
