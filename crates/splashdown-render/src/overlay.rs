//! What is written on a picture: title, time, colour bar.

use glam::Vec2;

use crate::color::{Linear, ToSrgb};
use crate::font;
use crate::image::Image;
use crate::scale;

const INK: [u8; 3] = [38, 50, 61];
const PALE: [u8; 3] = [96, 110, 122];

/// A colour bar: what the colours mean.
#[derive(Clone, Debug)]
pub enum Legend {
    /// A quantity with its unit and range.
    Bar {
        /// Like `speed (m/s)`.
        title: String,
        /// From the first colour to the last.
        range: [f64; 2],
        /// Colours from end to end.
        table: Vec<Linear>,
    },
    /// Names with their colours.
    Names(Vec<(String, Linear)>),
}

/// Writes title, time and legend.
pub fn draw(image: &mut Image, title: &str, time: f64, legend: Option<&Legend>) {
    let unit = unit(image.height);
    let margin = 24.0 * unit;
    let (width, height) = (image.width as f32, image.height as f32);
    let mut title = title.to_owned();
    while title.chars().count() > 1
        && font::layout(&title, 15.0 * unit).width > width - 2.0 * margin
    {
        title.pop();
    }
    text(image, &title, Vec2::new(margin, margin + 15.0 * unit), 15.0 * unit, INK);
    let time = format!("t = {time:.3} s");
    text(image, &time, Vec2::new(margin, height - margin), 13.0 * unit, INK);
    match legend {
        Some(Legend::Bar { title, range, table }) => bar(image, title, *range, table),
        Some(Legend::Names(names)) => swatches(image, names),
        None => {}
    }
}

/// Pixels of a length that is one pixel in a picture 720 pixels high.
pub fn unit(height: usize) -> f32 {
    (height as f32 / 720.0).max(0.55)
}

fn bar(image: &mut Image, title: &str, range: [f64; 2], table: &[Linear]) {
    let unit = unit(image.height);
    let margin = 24.0 * unit;
    let (w, h) = ((300.0 * unit).min(image.width as f32 * 0.45), 10.0 * unit);
    let x = image.width as f32 - margin - w - 10.0 * unit;
    let y = image.height as f32 - margin - h - 19.0 * unit;
    let to_srgb = ToSrgb::new();
    for column in x as usize..((x + w) as usize).min(image.width) {
        let t = (column as f32 + 0.5 - x) / w;
        let index = ((t * table.len() as f32) as usize).min(table.len() - 1);
        let color = to_srgb.bytes(table[index]);
        for row in y.max(0.0) as usize..((y + h) as usize).min(image.height) {
            image.blend(column, row, color, 1.0);
        }
    }
    let size = 11.0 * unit;
    let name = font::layout(title, size).width;
    text(image, title, Vec2::new(x + (w - name) / 2.0, y - 8.0 * unit), size, INK);
    for (value, label) in scale::ticks(range) {
        let t = ((value - range[0]) / (range[1] - range[0])) as f32;
        if !(-0.001..=1.001).contains(&t) {
            continue;
        }
        let place = x + t.clamp(0.0, 1.0) * w;
        let tick = [Vec2::new(place, y + h), Vec2::new(place, y + h + 3.0 * unit)];
        image.line(tick, 1.2 * unit, INK, |_, _, _| 1.0);
        let width = font::layout(&label, size).width;
        text(image, &label, Vec2::new(place - width / 2.0, y + h + 19.0 * unit), size, INK);
    }
}

fn swatches(image: &mut Image, names: &[(String, Linear)]) {
    let unit = unit(image.height);
    let (margin, size) = (24.0 * unit, 12.0 * unit);
    let to_srgb = ToSrgb::new();
    let mut x = image.width as f32 - margin;
    for (name, color) in names.iter().rev() {
        let width = font::layout(name, size).width;
        x -= width;
        let y = image.height as f32 - margin;
        text(image, name, Vec2::new(x, y), size, INK);
        x -= 14.0 * unit;
        let dot = Vec2::new(x, y - size / 2.0);
        image.line([dot, dot], 13.0 * unit, to_srgb.bytes(*color), |_, _, _| 1.0);
        x -= 30.0 * unit;
        if x < image.width as f32 / 3.0 {
            text(image, "...", Vec2::new(x, y), size, PALE);
            break;
        }
    }
}

/// Writes a line of text with its baseline starting at `at`.
pub fn text(image: &mut Image, text: &str, at: Vec2, height: f32, color: [u8; 3]) {
    let pen = (height / 8.5).max(1.0);
    for stroke in font::layout(text, height).strokes {
        for pair in stroke.windows(2) {
            image.line([at + pair[0], at + pair[1]], pen, color, |_, _, _| 1.0);
        }
    }
}
