//! Houdini's BGEO, version 5, as partio and SPlisHSPlasH write it: big-endian, plain or gzip.
//!
//! Layout: "Bgeo" 'V' version; eight counts (points, primitives, point groups, primitive groups,
//! point, vertex, primitive and detail attributes); a table of point attributes; for every point
//! x, y, z, w and the attributes, four bytes per number.

use std::io::{BufReader, Read};

use super::MAX_POINTS;
use super::particle_file::ParticleFile;
use crate::math::DVec3;

const FLOAT: i32 = 0;
const INT: i32 = 1;
const INDEXED_TEXT: i32 = 4;
const VECTOR: i32 = 5;

/// More numbers than this for one point are not plausible.
const WIDEST: usize = 1 << 20;
/// A compressed file holds at most this many times its size: what is more regular than that is no
/// fluid.
const MOST_UNPACKED: u64 = 100;

/// Reads all points, and velocities from an attribute `v` or `velocity`.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleFile, String> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let most = MOST_UNPACKED * (bytes.len() as u64 + 1000);
        let unpacked = flate2::read::MultiGzDecoder::new(bytes).take(most);
        read(BufReader::new(unpacked))
    } else {
        read(bytes)
    }
}

/// Memory follows what arrives, never what a count promises.
fn read(source: impl Read) -> Result<ParticleFile, String> {
    let mut from = BigEndian(source);
    if &from.bytes::<5>()? != b"BgeoV" {
        return Err("not a BGEO file of version 5 (newer versions are not supported)".into());
    }
    match from.int()? {
        5 => {}
        version => return Err(format!("BGEO version {version} is not supported, only 5")),
    }
    let count = from.int()?;
    let [_, _, _, attributes, _, _, _] = from.ints::<7>()?;
    if count < 0 || f64::from(count) > MAX_POINTS || !(0..=10_000).contains(&attributes) {
        return Err(format!("{count} points with {attributes} attributes are not plausible"));
    }
    let mut width = 4; // x, y, z, w
    let mut velocity_at = None;
    for _ in 0..attributes {
        let attribute = from.attribute()?;
        let is_velocity =
            ["v", "vel", "velocity"].contains(&attribute.name.to_lowercase().as_str());
        if is_velocity && attribute.size == 3 && [FLOAT, VECTOR].contains(&attribute.kind) {
            velocity_at = Some(width);
        }
        width += attribute.size;
        if width > WIDEST {
            return Err(format!("{width} numbers for a point are not plausible"));
        }
    }

    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    let mut row = vec![0; 4 * width];
    for k in 0..count {
        from.0.read_exact(&mut row).map_err(|_| format!("it ends after {k} of {count} points"))?;
        let number = |at: usize| {
            let bytes = [0, 1, 2, 3].map(|b| row[4 * at + b]);
            f64::from(f32::from_be_bytes(bytes))
        };
        let vector = |at: usize| DVec3::new(number(at), number(at + 1), number(at + 2));
        positions.push(vector(0));
        velocities.extend(velocity_at.map(vector));
    }
    Ok(ParticleFile { positions, velocities: velocity_at.map(|_| velocities) })
}

struct Attribute {
    name: String,
    size: usize,
    kind: i32,
}

struct BigEndian<R>(R);

impl<R: Read> BigEndian<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).map_err(|error| format!("it ends too early ({error})"))?;
        Ok(bytes)
    }

    fn int(&mut self) -> Result<i32, String> {
        self.bytes().map(i32::from_be_bytes)
    }

    fn ints<const N: usize>(&mut self) -> Result<[i32; N], String> {
        let mut ints = [0; N];
        for int in &mut ints {
            *int = self.int()?;
        }
        Ok(ints)
    }

    fn text(&mut self) -> Result<String, String> {
        let length = usize::from(u16::from_be_bytes(self.bytes()?));
        let mut text = vec![0; length];
        self.0.read_exact(&mut text).map_err(|_| "it ends inside a name")?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn attribute(&mut self) -> Result<Attribute, String> {
        let name = self.text()?;
        let size = usize::from(u16::from_be_bytes(self.bytes()?));
        let kind = self.int()?;
        match kind {
            FLOAT | INT | VECTOR => {
                for _ in 0..size {
                    self.int()?; // the default value
                }
            }
            INDEXED_TEXT => {
                for _ in 0..self.int()? {
                    self.text()?;
                }
            }
            _ => return Err(format!("attribute '{name}' has the unknown type {kind}")),
        }
        Ok(Attribute { name, size, kind })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;

    pub(crate) fn write(file: &ParticleFile) -> Vec<u8> {
        let mut out = b"BgeoV".to_vec();
        let count = file.positions.len() as i32;
        for int in [5, count, 0, 0, 0, 2, 0, 0, 0] {
            out.extend(i32::to_be_bytes(int));
        }
        for (name, size, kind) in [("id", 1_u16, INT), ("velocity", 3, VECTOR)] {
            out.extend((name.len() as u16).to_be_bytes());
            out.extend(name.as_bytes());
            out.extend(size.to_be_bytes());
            out.extend(kind.to_be_bytes());
            out.extend(vec![0; 4 * usize::from(size)]);
        }
        let velocities = file.velocities.as_ref().unwrap();
        for (k, (p, v)) in file.positions.iter().zip(velocities).enumerate() {
            for x in [p.x, p.y, p.z, 1.0] {
                out.extend((x as f32).to_be_bytes());
            }
            out.extend((k as i32).to_be_bytes());
            for x in v.to_array() {
                out.extend((x as f32).to_be_bytes());
            }
        }
        out.extend([0x00, 0xff]);
        out
    }

    pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn huge_counts_are_not_believed() {
        let file =
            ParticleFile { positions: vec![DVec3::ZERO], velocities: Some(vec![DVec3::ZERO]) };
        let good = write(&file);
        for count in [-1, 100_000_000, i32::MAX] {
            let mut bytes = good.clone();
            bytes[9..13].copy_from_slice(&i32::to_be_bytes(count));
            assert!(parse(&bytes).is_err());
        }
        let zeros = vec![0; 50_000_000];
        let followed = compress(&[&good[..], &zeros].concat());
        assert!(parse(&followed).is_ok(), "what follows the points is not read");
        let mut bomb = good.clone();
        bomb[9..13].copy_from_slice(&i32::to_be_bytes(1_500_000));
        let bomb = compress(&[&bomb[..], &zeros].concat());
        assert!(parse(&bomb).unwrap_err().contains("it ends after"));
        let mut newer = good;
        newer[8] = 13;
        assert!(parse(&newer).unwrap_err().contains("version 13"));
    }
}
