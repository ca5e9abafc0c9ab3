//! Films: GIF by ourselves, MP4 and WebP by `ffmpeg` where it is installed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use splashdown_run::output::error::At;
use splashdown_run::output::made::{self, Draft};

use crate::error::RenderError;
use crate::image::Image;

/// Index of the colour that leaves a pixel as it was.
const UNCHANGED: u8 = 255;

/// A film in the making.
pub struct Film {
    path: PathBuf,
    draft: Option<Draft>,
    encoder: Option<Encoder>,
}

enum Encoder {
    Gif(Box<GifFilm>),
    Ffmpeg(Child),
}

impl Film {
    /// Says what is wrong with the name of a film, or that `ffmpeg` is missing, before hours of
    /// drawing.
    pub fn check(path: &Path) -> Result<(), RenderError> {
        match extension(path).as_str() {
            "gif" => Ok(()),
            kind @ ("mp4" | "webp") => {
                let mut command = Command::new("ffmpeg");
                command.arg("-version").stdin(Stdio::null());
                command.stdout(Stdio::null()).stderr(Stdio::null());
                command.status().map(drop).map_err(|error| no_ffmpeg(kind, &error))
            }
            _ => Err(unknown_kind(path)),
        }
    }

    /// Starts a film; its name says which kind. `palette` are pictures whose colours will occur in
    /// it, the first one of the film's size. What was not made here is replaced by force only.
    pub fn create(
        path: &Path,
        palette: &[Image],
        fps: f64,
        force: bool,
    ) -> Result<Film, RenderError> {
        let extension = extension(path);
        let Some(first) = palette.first() else {
            return Err(RenderError::Request("a film needs at least one picture".to_owned()));
        };
        if !["gif", "mp4", "webp"].contains(&extension.as_str()) {
            return Err(unknown_kind(path));
        }
        let (draft, file) = Draft::create(path, force)?;
        let encoder = match extension.as_str() {
            "gif" => Encoder::Gif(Box::new(GifFilm::new(file, palette, fps).at("write", path)?)),
            _ => Encoder::Ffmpeg(ffmpeg(draft.temporary(), &extension, first, fps)?),
        };
        Ok(Film { path: path.to_owned(), draft: Some(draft), encoder: Some(encoder) })
    }

    /// Adds a picture.
    pub fn add(&mut self, image: &Image) -> Result<(), RenderError> {
        let result = match &mut self.encoder {
            Some(Encoder::Gif(film)) => film.add(image),
            Some(Encoder::Ffmpeg(child)) => match &mut child.stdin {
                Some(pipe) => pipe.write_all(bytemuck::cast_slice(&image.pixels)),
                None => Ok(()),
            },
            None => Ok(()),
        };
        Ok(result.at("write", &self.path)?)
    }

    /// Writes what is left and gives the film its name.
    pub fn finish(mut self) -> Result<(), RenderError> {
        match self.encoder.take() {
            Some(Encoder::Gif(film)) => film.finish().at("write", &self.path)?,
            Some(Encoder::Ffmpeg(mut child)) => {
                drop(child.stdin.take()); // the end of the film
                let output = child.wait_with_output().at("wait for ffmpeg to write", &self.path)?;
                if !output.status.success() {
                    let words = String::from_utf8_lossy(&output.stderr);
                    let reason = words.trim().lines().last().unwrap_or("no reason").to_owned();
                    return Err(RenderError::damaged(&self.path, format!("ffmpeg: {reason}")));
                }
            }
            None => {}
        }
        if let Some(draft) = self.draft.take() {
            sign(draft.temporary(), &extension(&self.path)).at("write", &self.path)?;
            draft.publish()?;
        }
        Ok(())
    }
}

/// Adds to a complete film that it was made here, in the way its kind has for what players pass
/// over.
fn sign(path: &Path, kind: &str) -> io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let words = made::MARK.len() as u64;
    match kind {
        "gif" => {
            // A comment, in place of the closing byte, which follows it.
            file.seek(SeekFrom::Start(length.saturating_sub(1)))?;
            let mark = made::mark(length + words + 4);
            let comment = [&[0x21, 0xfe, words as u8][..], mark.as_bytes(), &[0, 0x3b]].concat();
            file.write_all(&comment)?;
        }
        "mp4" => {
            let mark = made::mark(length + words + 8);
            let size = (words as u32 + 8).to_be_bytes();
            file.write_all(&[&size[..], b"free", mark.as_bytes()].concat())?;
        }
        _ => {
            let total = length + words + 8;
            let mark = made::mark(total);
            let size = (words as u32).to_le_bytes();
            file.write_all(&[b"MADE", &size[..], mark.as_bytes()].concat())?;
            // A file of chunks begins with the length of all of them.
            file.seek(SeekFrom::Start(4))?;
            file.write_all(&(total as u32 - 8).to_le_bytes())?;
        }
    }
    file.sync_all()
}

impl Drop for Film {
    fn drop(&mut self) {
        if let Some(Encoder::Ffmpeg(child)) = &mut self.encoder {
            // Nobody wants this film any more.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn ffmpeg(path: &Path, kind: &str, first: &Image, fps: f64) -> Result<Child, RenderError> {
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
    command.args(["-s", &format!("{}x{}", first.width, first.height)]);
    command.args(["-r", &fps.to_string(), "-i", "-"]);
    if kind == "mp4" {
        // Every player knows H.264 with halved colour resolution; that needs even sizes.
        command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18"]);
        command.args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]);
    } else {
        command.args(["-c:v", "libwebp_anim", "-quality", "80", "-loop", "0", "-f", "webp"]);
    }
    command.arg(path).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| no_ffmpeg(kind, &error))
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn unknown_kind(path: &Path) -> RenderError {
    RenderError::Request(format!("{}: films end in .gif, .mp4 or .webp", path.display()))
}

fn no_ffmpeg(kind: &str, error: &io::Error) -> RenderError {
    RenderError::Request(format!(
        "ffmpeg, which makes .{kind} films, cannot be started ({error}): install it, or make a \
         .gif, \
         which needs nothing"
    ))
}

/// A GIF with one palette and pictures that hold only what has changed.
struct GifFilm {
    encoder: gif::Encoder<BufWriter<File>>,
    /// Index of the nearest colour, by the upper five bits of each channel.
    nearest: Vec<u8>,
    size: [usize; 2],
    last: Vec<u8>,
    /// Hundredths of a second from picture to picture, with their fractions.
    delay: f64,
    shown: f64,
}

impl GifFilm {
    fn new(file: File, pictures: &[Image], fps: f64) -> io::Result<GifFilm> {
        let size = [pictures[0].width, pictures[0].height];
        let too_large = || io::Error::other("a GIF has at most 65535 pixels each way");
        let width = u16::try_from(size[0]).map_err(|_| too_large())?;
        let height = u16::try_from(size[1]).map_err(|_| too_large())?;
        let total: usize = pictures.iter().map(|p| p.pixels.len()).sum();
        let sample: Vec<u8> = pictures
            .iter()
            .flat_map(|p| &p.pixels)
            .step_by(total / 200_000 + 1)
            .flat_map(|&[r, g, b]| [r, g, b, 255])
            .collect();
        let colors = color_quant::NeuQuant::new(3, usize::from(UNCHANGED), &sample);
        let mut palette: Vec<u8> =
            colors.color_map_rgba().chunks_exact(4).flat_map(|c| [c[0], c[1], c[2]]).collect();
        palette.resize(3 * 256, 0);
        let nearest = (0..1usize << 15)
            .map(|k| {
                let middle = |shift: usize| ((k >> shift & 31) * 8 + 4) as u8;
                colors.index_of(&[middle(10), middle(5), middle(0), 255]) as u8
            })
            .collect();
        let out = BufWriter::new(file);
        let mut encoder = gif::Encoder::new(out, width, height, &palette).map_err(other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(other)?;
        let delay = 100.0 / fps.clamp(1.0, 50.0);
        Ok(GifFilm { encoder, nearest, size, last: Vec::new(), delay, shown: 0.0 })
    }

    fn add(&mut self, image: &Image) -> io::Result<()> {
        let [width, height] = self.size;
        if [image.width, image.height] != self.size {
            return Err(io::Error::other("all pictures of a film have the same size"));
        }
        // Ordered dithering: what does not move keeps its pixels, unlike with error diffusion.
        const BAYER: [i16; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
        let index = |(i, &[r, g, b]): (usize, &[u8; 3])| {
            let (x, y) = (i % width, i / width);
            let offset = (BAYER[(y % 4) * 4 + x % 4] * 2 - 15) / 4;
            let bits = |c: u8| usize::from((i16::from(c) + offset).clamp(0, 255) as u8 >> 3);
            self.nearest[bits(r) << 10 | bits(g) << 5 | bits(b)]
        };
        let now: Vec<u8> = image.pixels.iter().enumerate().map(index).collect();
        let mut frame = gif::Frame::default();
        let (before, after) = (self.shown, self.shown + self.delay);
        frame.delay = (after.round() - before.round()) as u16;
        self.shown = after;
        frame.dispose = gif::DisposalMethod::Keep;
        let has_changed = |i: usize| self.last.get(i) != Some(&now[i]);
        let rows: Vec<usize> =
            (0..height).filter(|y| (0..width).any(|x| has_changed(y * width + x))).collect();
        let columns: Vec<usize> =
            (0..width).filter(|x| (0..height).any(|y| has_changed(y * width + x))).collect();
        // A picture without any change still lasts its time.
        let (top, bottom) = (rows.first().copied().unwrap_or(0), rows.last().copied().unwrap_or(0));
        let (left, right) =
            (columns.first().copied().unwrap_or(0), columns.last().copied().unwrap_or(0));
        let mut part = Vec::with_capacity((bottom + 1 - top) * (right + 1 - left));
        for y in top..=bottom {
            let row = y * width + left..y * width + right + 1;
            part.extend(row.map(|i| if has_changed(i) { now[i] } else { UNCHANGED }));
        }
        (frame.left, frame.top) = (left as u16, top as u16);
        (frame.width, frame.height) = ((right + 1 - left) as u16, (bottom + 1 - top) as u16);
        frame.transparent = Some(UNCHANGED);
        frame.buffer = Cow::Owned(part);
        self.last = now;
        self.encoder.write_frame(&frame).map_err(other)
    }

    fn finish(self) -> io::Result<()> {
        let out = self.encoder.into_inner().map_err(other)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()
    }
}

fn other(error: gif::EncodingError) -> io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(k: usize) -> Image {
        let mut image = Image::new(60, 40, [200, 210, 220]);
        for y in 10..20 {
            for x in 10 * k..10 * k + 10 {
                image.blend(x, y, [20, 60, 200], 1.0);
            }
        }
        image
    }

    #[test]
    fn a_film_of_three_pictures_decodes_to_three_pictures() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("film.gif");
        let pictures = [picture(0), picture(2), picture(2)];
        let mut film = Film::create(&path, &pictures, 30.0, false).unwrap();
        assert!(!path.exists(), "nothing under its name before it is complete");
        pictures.iter().for_each(|p| film.add(p).unwrap());
        film.finish().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (60, 40));
        let mut canvas = vec![[0u8; 3]; 60 * 40];
        let (mut count, mut hundredths) = (0, 0);
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (k, c) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, c)| c[3] > 0) {
                let x = usize::from(frame.left) + k % usize::from(frame.width);
                let y = usize::from(frame.top) + k / usize::from(frame.width);
                canvas[y * 60 + x] = [c[0], c[1], c[2]];
            }
            hundredths += frame.delay;
            for (got, wanted) in canvas.iter().zip(&pictures[count].pixels) {
                let off = got.iter().zip(wanted).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(off < Some(12), "{got:?} instead of {wanted:?}");
            }
            count += 1;
        }
        assert_eq!((count, hundredths), (3, 10));
        made::check(&path, false).unwrap();
        std::fs::write(&path, "of somebody else").unwrap();
        assert!(Film::create(&path, &pictures, 30.0, false).is_err());
    }

    #[test]
    fn other_films_are_made_by_ffmpeg_or_it_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let odd = Image::new(61, 41, [10, 200, 30]);
        for (name, mark) in [("film.mp4", &b"ftyp"[..]), ("film.webp", b"WEBP")] {
            let path = dir.path().join(name);
            let mut film = match Film::create(&path, std::slice::from_ref(&odd), 30.0, false) {
                Ok(film) => film,
                Err(error) => {
                    let words = error.to_string();
                    assert!(words.contains("install it") && words.contains(".gif"), "{words}");
                    continue;
                }
            };
            (0..3).for_each(|_| film.add(&odd).unwrap());
            film.finish().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes[..16].windows(4).any(|w| w == mark), "{name}");
            made::check(&path, false).unwrap();
        }
    }

    #[test]
    fn a_film_that_is_given_up_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let mut film = Film::create(&dir.path().join("a.gif"), &[picture(0)], 30.0, false).unwrap();
        film.add(&picture(0)).unwrap();
        drop(film);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let wrong = Film::create(&dir.path().join("a.avi"), &[picture(0)], 30.0, false);
        assert!(wrong.err().unwrap().to_string().contains(".gif, .mp4 or .webp"));
    }
}
