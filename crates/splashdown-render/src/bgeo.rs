//! Reads the BGEO frames that `splashdown::output::bgeo` writes.

use std::io::Read;

use flate2::read::GzDecoder;
use splashdown::math::DVec3;
use splashdown::output::frame::Points;

/// Bytes of a particle: eleven words.
const RECORD: usize = 44;
/// Where the number of particles stands in the header.
const COUNT: std::ops::Range<usize> = 9..13;

/// Reads the particles of a frame.
pub fn read_points(file: &[u8]) -> Result<Points, String> {
    let not_ours = || "is not a BGEO file of a Splashdown frame".to_owned();
    // What our own writer says about no particles, with any number in place of the zero.
    let mut empty = Vec::new();
    splashdown::output::bgeo::write(&mut empty, &Points::default()).map_err(|e| e.to_string())?;
    let mut expected = Vec::new();
    GzDecoder::new(&empty[..]).read_to_end(&mut expected).map_err(|e| e.to_string())?;
    expected.truncate(expected.len() - 2); // the closing bytes

    let mut stream = GzDecoder::new(file);
    let mut header = vec![0; expected.len()];
    stream.read_exact(&mut header).map_err(|_| not_ours())?;
    let count = word(&header, COUNT.start) as usize;
    expected[COUNT].copy_from_slice(&header[COUNT]);
    if header != expected {
        return Err(not_ours());
    }
    // One record at a time: a small file that claims to be huge must not be believed.
    let mut points = Points::default();
    let mut record = [0; RECORD];
    for i in 0..count {
        stream.read_exact(&mut record).map_err(|_| format!("ends at particle {i} of {count}"))?;
        let float = |k: usize| f32::from_bits(word(&record, 4 * k));
        let [x, y, z] = [0, 1, 2].map(|k| f64::from(float(k)));
        points.position.push(DVec3::new(x, y, z));
        points.id.push(word(&record, 16));
        points.velocity.push([float(5), float(6), float(7)]);
        points.pressure.push(float(8));
        points.density.push(float(9));
        points.fluid.push(word(&record, 40));
    }
    let mut end = Vec::new();
    match stream.take(3).read_to_end(&mut end) {
        Ok(_) if end == [0x00, 0xFF] => Ok(points),
        _ => Err("does not end after its last particle".to_owned()),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
