//! Reads the BGEO frames that `splashdown_run::output::bgeo` writes, and those of earlier versions,
//! which had fewer attributes.

use std::io::{BufReader, Read};

use flate2::read::GzDecoder;
use splashdown_geometry::math::DVec3;
use splashdown_run::output::frame::Points;

/// More attributes, or components of one, are not ours.
const MOST: usize = 64;

/// Reads the particles of a frame.
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
