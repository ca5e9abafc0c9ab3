//! Fingerprints of files: whether a mesh is still the one that a run began with.
//!
//! SHA-256 (FIPS 180-4), so that `sha256sum` gives the same digits. Sixty lines of our own: a crate
//! would bring five others for a sum that is taken once per run.

use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::disk;

/// A file that a run reads, and what it was like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// As the scene names it.
    pub file: String,
    /// Length of the file, bytes.
    pub bytes: u64,
    /// Of its content, in hexadecimal digits.
    pub sha256: String,
}

/// How a file differs from what it was like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// For people.
    pub sentence: String,
    /// Whether a run could go on with the file as it is now: not if it is gone.
    pub is_usable: bool,
}

impl Fingerprint {
    /// Takes the fingerprint of `file`, relative to `directory`.
    pub fn take(directory: &Path, file: &str) -> io::Result<Fingerprint> {
        let mut reader = disk::open_to_read(&directory.join(file))?;
        let (mut sum, mut block) = (Sha256::default(), vec![0; 1 << 16]);
        loop {
            match reader.read(&mut block)? {
                0 => break,
                count => sum.update(&block[..count]),
            }
        }
        Ok(Fingerprint { file: file.to_owned(), bytes: sum.length, sha256: sum.digits() })
    }

    /// How the file differs from what it was like, if it does.
    pub fn difference(&self, directory: &Path) -> Option<Difference> {
        let path = directory.join(&self.file);
        let now = Fingerprint::take(directory, &self.file);
        let is_usable = now.is_ok();
        let sentence = match now {
            Ok(now) if now == *self => return None,
            Ok(now) if now.bytes != self.bytes => {
                format!("has {} bytes, it had {}", now.bytes, self.bytes)
            }
            Ok(_) => "has other content".to_owned(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => "is missing".to_owned(),
            Err(e) => format!("cannot be read: {e}"),
        };
        Some(Difference { sentence: format!("{} {sentence}", path.display()), is_usable })
    }
}

/// The digits of a text.
pub fn of_text(text: &str) -> String {
    let mut sum = Sha256::default();
    sum.update(text.as_bytes());
    sum.digits()
}

/// A sum in the making.
struct Sha256 {
    constants: [u32; 64],
    state: [u32; 8],
    /// The bytes that do not fill a block yet.
    rest: Vec<u8>,
    length: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        let constants = first_primes().map(|p| fraction(f64::from(p).cbrt()));
        let state = first_primes().map(|p| fraction(f64::from(p).sqrt()));
        Sha256 { constants, state, rest: Vec::new(), length: 0 }
    }
}

impl Sha256 {
    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() / 64 * 64;
        for block in self.rest[..whole].chunks_exact(64) {
            compress(&mut self.state, &self.constants, block);
        }
        self.rest.drain(..whole);
    }

    fn digits(mut self) -> String {
        let bits = self.length * 8;
        let zeros = (119 - self.length % 64) % 64;
        self.update(&[&[0x80], vec![0; zeros as usize].as_slice(), &bits.to_be_bytes()].concat());
        self.state.iter().map(|word| format!("{word:08x}")).collect()
    }
}

fn compress(state: &mut [u32; 8], constants: &[u32; 64], block: &[u8]) {
    let mut w = [0_u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for t in 16..64 {
        let small = |x: u32, r: [u32; 3]| x.rotate_right(r[0]) ^ x.rotate_right(r[1]) ^ (x >> r[2]);
        let (s0, s1) = (small(w[t - 15], [7, 18, 3]), small(w[t - 2], [17, 19, 10]));
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let large = |x: u32, r: [u32; 3]| r.map(|r| x.rotate_right(r)).iter().fold(0, |s, x| s ^ x);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for t in 0..64 {
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let first = [large(e, [6, 11, 25]), choice, constants[t], w[t]];
        let first = first.iter().fold(h, |sum, x| sum.wrapping_add(*x));
        let second = large(a, [2, 13, 22]).wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

fn first_primes<const N: usize>() -> [u32; N] {
    let mut primes = [0; N];
    let is_prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let mut candidates = (2_u32..).filter(is_prime);
    primes.fill_with(|| candidates.next().unwrap_or(0));
    primes
}

/// The first 32 bits after the point.
fn fraction(x: f64) -> u32 {
    (x.fract() * 4294967296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-4, and lengths around the end of a block.
    #[test]
    fn digits_are_those_of_sha256sum() {
        let known = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (text, digits) in known {
            assert_eq!(of_text(text), digits);
        }
        let a = |n: usize| of_text(&"a".repeat(n));
        assert_eq!(a(55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
        assert_eq!(a(64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
        assert_eq!(a(119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    }

    #[test]
    fn a_changed_file_is_noticed_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gear.obj");
        std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
        let fingerprint = Fingerprint::take(dir.path(), "gear.obj").unwrap();
        assert_eq!(fingerprint.difference(dir.path()), None);
        let difference = || fingerprint.difference(dir.path()).unwrap().sentence;
        let is_usable = || fingerprint.difference(dir.path()).unwrap().is_usable;
        std::fs::write(&path, vec![b'y'; 100_000]).unwrap();
        assert!(difference().ends_with("gear.obj has other content"));
        std::fs::write(&path, "x").unwrap();
        assert!(difference().ends_with("has 1 bytes, it had 100000") && is_usable());
        std::fs::remove_file(&path).unwrap();
        assert!(difference().ends_with("gear.obj is missing") && !is_usable());
    }
}
