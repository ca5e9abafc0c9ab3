//! Gzip-compressed BGEO version 5, the classic particle format of Houdini and partio.
//!
//! Big-endian throughout: a header of counts, a table of attributes, then one record per particle
//! of x, y, z, w and the attributes in the order of the table, then two closing bytes.
//!
//! The velocity is there twice: Houdini takes `v` for motion blur and trails, partio and splashsurf
//! look for `velocity`. `pscale` is the radius that Houdini draws and meshes particles with.

use std::io::{self, BufReader, Read, Write};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};

use super::FrameFormat;
use crate::math::DVec3;
use crate::output::frame::Points;

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

/// More attributes, or components of one, are not ours.
const MOST: usize = 64;

/// BGEO files.
pub struct Bgeo;

impl FrameFormat for Bgeo {
    fn name(&self) -> &'static str {
        "bgeo"
    }

    fn meaning(&self) -> &'static str {
        "Compressed BGEO, for Houdini."
    }

    fn extension(&self) -> &'static str {
        "bgeo"
    }

    fn write(&self, mut out: &mut dyn Write, points: &Points, radius: f64) -> io::Result<()> {
        write(&mut out, points, radius)
    }

    fn read(&self, file: &[u8]) -> Result<Points, String> {
        read_points(file)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

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

/// Reads the particles of a frame, also of earlier versions, which had fewer attributes.
pub fn read_points(file: &[u8]) -> Result<Points, String> {
    let mut stream = Words(BufReader::new(GzDecoder::new(file)));
    let (count, table) = header(&mut stream).ok_or("is not a BGEO file of a Splashdown frame")?;
    let place = |name: &str, components: usize| {
        let mut at = 4; // x, y, z, w
        for (known, size) in &table {
            if known == name && *size == components {
                return Ok(at);
            }
            at += size;
        }
        Err(format!("has no attribute {name} of {components} numbers"))
    };
    let [velocity, pressure, density] =
        [place("velocity", 3)?, place("pressure", 1)?, place("density", 1)?];
    let [id, fluid] = [place("id", 1)?, place("fluid", 1)?];
    let width = 4 + table.iter().map(|(_, size)| size).sum::<usize>();
    // One record at a time: a small file that claims to be huge must not be believed.
    let mut points = Points::default();
    let mut record = vec![0; width];
    for i in 0..count {
        for word in &mut record {
            *word = stream.word().ok_or_else(|| format!("ends at particle {i} of {count}"))?;
        }
        let float = |k: usize| f32::from_bits(record[k]);
        let [x, y, z] = [0, 1, 2].map(|k| f64::from(float(k)));
        points.position.push(DVec3::new(x, y, z));
        points.id.push(record[id]);
        points.velocity.push([0, 1, 2].map(|k| float(velocity + k)));
        points.pressure.push(float(pressure));
        points.density.push(float(density));
        points.fluid.push(record[fluid]);
    }
    let mut end = Vec::new();
    match stream.0.take(3).read_to_end(&mut end) {
        Ok(_) if end == [0x00, 0xFF] => Ok(points),
        _ => Err("does not end after its last particle".to_owned()),
    }
}

/// The number of particles, and names and components of their attributes.
fn header<R: Read>(stream: &mut Words<R>) -> Option<(u32, Vec<(String, usize)>)> {
    if &stream.bytes(5)?[..] != b"BgeoV" || stream.word()? != 5 {
        return None;
    }
    let count = stream.word()?;
    let mut others = [0; 7];
    for other in &mut others {
        *other = stream.word()?;
    }
    let [0, 0, 0, attributes, 0, 0, 0] = others else { return None };
    if attributes as usize > MOST {
        return None;
    }
    let mut table = Vec::new();
    for _ in 0..attributes {
        let length = stream.short()?;
        let name = String::from_utf8(stream.bytes(length)?).ok()?;
        let size = stream.short().filter(|size| *size <= MOST)?;
        stream.word()?; // its type
        stream.bytes(4 * size)?; // its default value
        table.push((name, size));
    }
    Some((count, table))
}

/// Big-endian numbers; None where the file ends.
struct Words<R>(R);

impl<R: Read> Words<R> {
    fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).ok().map(|()| bytes)
    }

    fn short(&mut self) -> Option<usize> {
        let mut bytes = [0; 2];
        self.0.read_exact(&mut bytes).ok().map(|()| u16::from_be_bytes(bytes).into())
    }

    fn word(&mut self) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes).ok().map(|()| u32::from_be_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;

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
