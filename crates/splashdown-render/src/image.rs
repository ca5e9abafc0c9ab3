//! Finished pictures.

use std::io;
use std::path::Path;

use glam::Vec2;
use splashdown_run::output::error::At;
use splashdown_run::output::made;

use crate::error::RenderError;

/// A picture of 8 bits per channel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// Red, green, blue.
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture in one colour.
    pub fn new(width: usize, height: usize, color: [u8; 3]) -> Image {
        Image { width, height, pixels: vec![color; width * height] }
    }

    /// The pixel at column `x` and row `y`.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// Covers `alpha` of a pixel with a colour.
    pub fn blend(&mut self, x: usize, y: usize, color: [u8; 3], alpha: f32) {
        let pixel = &mut self.pixels[y * self.width + x];
        for (old, new) in pixel.iter_mut().zip(color) {
            let mixed = f32::from(*old) + (f32::from(new) - f32::from(*old)) * alpha;
            *old = mixed.round() as u8;
        }
    }

    /// Draws a line of `width` pixels with round ends; `alpha(t, x, y)` is its strength at a share
    /// `t` of its length and a pixel.
    pub fn line(
        &mut self,
        [a, b]: [Vec2; 2],
        width: f32,
        color: [u8; 3],
        alpha: impl Fn(f32, usize, usize) -> f32,
    ) {
        if !(a.is_finite() && b.is_finite()) {
            return;
        }
        let Some([from, to]) = self.clip(a, b, width + 2.0) else { return };
        let along = b - a;
        let share = |p: Vec2| (p - a).dot(along) / along.length_squared().max(1e-12);
        let reach = width / 2.0 + 1.0;
        // Steps along the longer axis look only at the pixels near the line.
        let major = usize::from(along.y.abs() > along.x.abs());
        let minor = 1 - major;
        let size = [self.width as f32, self.height as f32];
        let (low, high) = (from.min(to), from.max(to));
        let slope = if along[major] == 0.0 { 0.0 } else { along[minor] / along[major] };
        let spread = reach * (1.0 + slope * slope).sqrt();
        for i in (low[major] - reach).max(0.0) as usize
            ..(high[major] + reach).clamp(0.0, size[major]) as usize
        {
            let middle = from[minor] + (i as f32 + 0.5 - from[major]) * slope;
            let first = (middle.max(low[minor]) - spread).max(0.0) as usize;
            let last = (middle.min(high[minor]) + spread + 1.0).clamp(0.0, size[minor]) as usize;
            for j in first..last {
                let [x, y] = if major == 0 { [i, j] } else { [j, i] };
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let t = share(p).clamp(0.0, 1.0);
                let cover = (width / 2.0 + 0.5 - (a + along * t - p).length()).clamp(0.0, 1.0);
                let strength = if cover > 0.0 { cover * alpha(t, x, y) } else { 0.0 };
                if strength > 0.0 {
                    self.blend(x, y, color, strength);
                }
            }
        }
    }

    /// The part of a line that is in the picture or within `margin` of it.
    fn clip(&self, a: Vec2, b: Vec2, margin: f32) -> Option<[Vec2; 2]> {
        let (low, high) = (
            Vec2::splat(-margin),
            Vec2::new(self.width as f32 + margin, self.height as f32 + margin),
        );
        let along = b - a;
        let (mut start, mut end) = (0.0f32, 1.0f32);
        for axis in 0..2 {
            if along[axis] == 0.0 {
                if a[axis] < low[axis] || a[axis] > high[axis] {
                    return None;
                }
                continue;
            }
            let (t, u) =
                ((low[axis] - a[axis]) / along[axis], (high[axis] - a[axis]) / along[axis]);
            start = start.max(t.min(u));
            end = end.min(t.max(u));
        }
        (start <= end).then(|| [a + along * start, a + along * end])
    }

    /// As PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(bytemuck::cast_slice(&self.pixels))?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes a PNG file, completely or not at all. What was not made here is replaced by force
    /// only.
    pub fn write_png(&self, path: &Path, force: bool) -> Result<(), RenderError> {
        let bytes = self.png().at("encode", path)?;
        Ok(made::write(path, marked(bytes), force)?)
    }
}

/// Adds a chunk of text to a PNG that says where it comes from.
fn marked(mut png: Vec<u8>) -> Vec<u8> {
    const END: usize = 12; // the last chunk, which is empty
    const KEYWORD: &[u8] = b"tEXtSoftware\0";
    let length = png.len() + 12 + KEYWORD.len() - 4 + made::MARK.len();
    let text = [KEYWORD, made::mark(length as u64).as_bytes()].concat();
    let mut checksum = flate2::Crc::new();
    checksum.update(&text);
    let size = (text.len() - 4) as u32;
    let chunk = [&size.to_be_bytes()[..], &text, &checksum.sum().to_be_bytes()].concat();
    let end = png.len() - END;
    png.splice(end..end, chunk);
    png
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_picture_is_still_a_picture_and_may_be_replaced() {
        let image = Image::new(20, 10, [1, 2, 3]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        image.write_png(&path, false).unwrap();
        image.write_png(&path, false).unwrap();
        let file = io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; 3 * 20 * 10];
        reader.next_frame(&mut pixels).unwrap();
        assert!(pixels.chunks(3).all(|pixel| pixel == [1, 2, 3]));
        reader.finish().unwrap();
        let words = &reader.info().uncompressed_latin1_text[0];
        assert_eq!(words.keyword, "Software");
        assert_eq!(words.text, made::mark(std::fs::metadata(&path).unwrap().len()));
        std::fs::write(&path, image.png().unwrap()).unwrap();
        assert!(image.write_png(&path, false).is_err(), "a picture of somebody else");
        image.write_png(&path, true).unwrap();
    }
}
