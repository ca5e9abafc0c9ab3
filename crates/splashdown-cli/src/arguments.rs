//! What can be written on the command line.

mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use splashdown::scene::MemoryLimit;
use splashdown_render::export::MeshFormat;
use splashdown_render::renderer;
use splashdown_render::stage::Quantity;

use self::values::{FrameFormat, SceneName, parse_size, parse_variant};
pub(crate) use self::values::{Method, PRESSURE, STEPPER, Variant, contradiction};

const FIRST_STEPS: &str = "\
First steps:
  splashdown list                            the built-in scenes
  splashdown run fountain --view             one of them, in the browser while it runs
  splashdown show fountain > my-scene.toml   a scene of your own
  splashdown check my-scene.toml --time      what is wrong with it, and how long it will take
  splashdown run my-scene.toml               results go to out/my-scene; Ctrl-C saves them
  splashdown help run                        all about a command";

/// Water that you can run, trust, stop and resume.
///
/// Without a command, runs the built-in scene `dam-break` and says where the results are.
#[derive(Debug, Parser)]
#[command(name = "splashdown", version, about, after_help = FIRST_STEPS)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene, or go on with an earlier run.
    Run(RunArguments),
    /// Look at a run in the browser, also while it is going on.
    View(ViewArguments),
    /// Draw a picture or a film of a run.
    Render(RenderArguments),
    /// Write a report of a run: one HTML page with pictures, plots, times and the scene.
    Report(ReportArguments),
    /// Write meshes of a run's bodies and liquid, and a table of how the bodies move.
    Export(ExportArguments),
    /// List the built-in scenes.
    List,
    /// Print a built-in scene, to start your own from.
    Show {
        /// Name of a built-in scene: `splashdown list` shows them.
        #[arg(value_parser = SceneName, hide_possible_values = true)]
        name: String,
        /// Write the scene into this folder, with the files it names.
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Check a scene without running it: all errors, particle counts, memory, and how long it would
    /// take.
    Check {
        /// A scene file or the name of a built-in scene.
        #[arg(value_parser = SceneName, hide_possible_values = true)]
        scene: String,
        /// Override a key of the scene.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Also estimate how long it will take on this machine: runs some steps, for up to 15
        /// seconds or so.
        #[arg(long)]
        time: bool,
        /// How many threads the estimate is for [default: all cores].
        #[arg(long, value_name = "N", requires = "time",
              value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
        #[command(flatten)]
        memory: MemoryArguments,
    },
    /// Print the JSON Schema of scene files, for editors.
    Schema,
    /// Measure methods against known answers; exit status 1 when any is off.
    Validate(ValidateArguments),
    /// Measure the speed on fixed scenes, next to the limits of the machine.
    Bench(BenchArguments),
    /// Run a scene in several ways, side by side: one table and one plot.
    ///
    /// Without --methods, --vary and --dt: the scene as it is, and with every other method that
    /// makes a difference to it, one at a time. With several of them: all combinations.
    Compare(CompareArguments),
    /// Print a script that lets your shell complete commands, options and scenes
    ///
    /// bash: add `source <(splashdown completions bash)` to ~/.bashrc.
    /// zsh: `splashdown completions zsh > ~/.zfunc/_splashdown`, with ~/.zfunc in `fpath`.
    /// fish: `splashdown completions fish > ~/.config/fish/completions/splashdown.fish`.
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell that will read it.
        shell: Shell,
    },
    /// Print a manual page, or write all of them into a folder
    ///
    /// `splashdown man run | man -l -` shows one;
    /// `splashdown man --out ~/.local/share/man/man1` installs all for `man splashdown-run`.
    #[command(verbatim_doc_comment)]
    Man(ManArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The command that the page is about [default: the program as a whole].
    pub command: Option<String>,
    /// Write the pages of all commands into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MemoryArguments {
    /// Refuse scenes that need more memory than this, like 8G, 512M or 50% of the machine's
    /// [default: 75%].
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemoryLimit>,
}

impl MemoryArguments {
    /// As told, or a share of the machine's.
    pub(crate) fn limit(&self) -> MemoryLimit {
        self.memory.clone().unwrap_or_default()
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A scene file or the name of a built-in scene.
    #[arg(value_parser = SceneName, hide_possible_values = true)]
    pub scene: String,
    /// Methods to compare: names like those of `run --method`, joined by `+` where several go
    /// together, like weak,interlinked+iisph,monolithic+jacobi.
    #[arg(long, value_delimiter = ',', value_parser = parse_variant)]
    pub methods: Vec<Variant>,
    /// Values of any key of the scene to compare, like simulation.spacing=0.02,0.01 or
    /// simulation.gravity=[0,-9.81,0],[0,-1.62,0]. Can be given several times.
    #[arg(long, value_name = "KEY=A,B")]
    pub vary: Vec<String>,
    /// Fixed time steps to compare, in seconds.
    #[arg(long, value_delimiter = ',', value_name = "DT")]
    pub dt: Vec<f64>,
    /// Simulate up to this time, in seconds [default: as the scene says].
    #[arg(long, value_name = "T")]
    pub until: Option<f64>,
    /// Give up on a variant after so many seconds of computing.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    pub patience: f64,
    /// How many threads compute [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Override a key of the scene.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Where table and plot go [default: out/NAME-compare].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep every run, to look at with view, render and report [default of DIR: that of --out].
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub keep: Option<Option<PathBuf>>,
    /// Replace an earlier comparison, and runs that it kept.
    #[arg(long)]
    pub force: bool,
    /// One JSON object per variant instead of a table.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub memory: MemoryArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    /// Names of cases and of groups [default: all groups].
    pub cases: Vec<String>,
    /// Of groups, only the cases that take seconds.
    #[arg(long)]
    pub quick: bool,
    /// How many cases run at a time [default: one for each thread].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// How many threads compute [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// One JSON object per metric instead of a table.
    #[arg(long)]
    pub json: bool,
    /// List the cases, what they cost, and which have to be asked for by name.
    #[arg(long)]
    pub list: bool,
    /// Let shortfalls that are known fail, too.
    #[arg(long)]
    pub strict: bool,
    /// Also write a page with all metrics, and measured curves over the known answers.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Replace the file of --report even if this program did not make it.
    #[arg(long, requires = "report")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The directory of a run.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Where the page goes [default: DIR/report.html].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a file that is there even if this program did not make it.
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Scenes to run.
    #[arg(
        value_parser = SceneName,
        hide_possible_values = true,
        default_values_t = [
            "dam-break-10k",
            "dam-break-100k",
            "dam-break-1m",
            "dam-break-with-bodies",
            "lumpy-pile",
            "sessile-droplet",
            "sessile-droplet-268k",
        ].map(str::to_owned)
    )]
    pub scenes: Vec<String>,
    /// Steps to measure.
    #[arg(long, default_value_t = 20)]
    pub steps: u64,
    /// Steps before them: a column of water is falling by then, and memory has been touched.
    #[arg(long, value_name = "STEPS", default_value_t = 5)]
    pub warm_up: u64,
    /// How many threads compute [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Override a key of the scenes.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub memory: MemoryArguments,
    /// One JSON object per scene instead of a table.
    #[arg(long)]
    pub json: bool,
    /// End steps of elastic bodies after so many Newton iterations: enough to measure one, where a
    /// whole step takes minutes. The states that are found are no minima.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub newton: Option<u32>,
    /// Write the last matrix of elastic bodies here (Matrix Market), to compare factorisations.
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct RunArguments {
    /// A scene file or the name of a built-in scene.
    #[arg(value_parser = SceneName, hide_possible_values = true)]
    pub scene: Option<String>,
    /// Where the results go; must be new or empty [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Simulate up to this time, in seconds.
    #[arg(long, value_name = "T")]
    pub until: Option<f64>,
    /// How many threads compute; the results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// How bodies are coupled, how contact is iterated, and how pressure is solved for: one of
    /// each.
    #[arg(long, value_delimiter = ',', conflicts_with = "resume")]
    pub method: Vec<Method>,
    /// File formats of the frames.
    #[arg(long, value_delimiter = ',', conflicts_with = "resume")]
    pub format: Vec<FrameFormat>,
    /// Also write the surface of every fluid for each frame, as PLY meshes.
    #[arg(long, conflicts_with = "resume")]
    pub surface: bool,
    /// Look for intersections and inverted elements of elastic bodies after every step, and stop if
    /// there is one.
    #[arg(long, conflicts_with = "resume")]
    pub verify: bool,
    /// Override a key of the scene, like fluid.water.density=900.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "resume")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub memory: MemoryArguments,
    /// Go on with the run in the output directory.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// With --resume: go on although the scene, or a file that it reads, is not what it was when
    /// the run began.
    #[arg(long, requires = "resume")]
    pub accept_changed_inputs: bool,
    /// With --resume: go on although frames are missing or cut.
    #[arg(long, requires = "resume")]
    pub accept_lost_frames: bool,
    /// With --resume: go back as far as it takes to write everything again that is missing or
    /// damaged.
    #[arg(long, requires = "resume")]
    pub repair: bool,
    /// Replace the results of an earlier run in the output directory.
    #[arg(long)]
    pub force: bool,
    /// Print nothing but warnings and errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Look at the run in the browser while it goes on, and afterwards until Ctrl-C.
    #[arg(long)]
    pub view: bool,
    #[command(flatten)]
    pub viewer: ViewerArguments,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ViewerArguments {
    /// Port of the viewer on 127.0.0.1 [default: any that is free].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print the address of the viewer, but do not open the browser.
    #[arg(long)]
    pub no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// The directory of a run.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    #[command(flatten)]
    pub viewer: ViewerArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArguments {
    /// The directory of a run.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Number of the frame [default: the last].
    #[arg(long, value_name = "N")]
    pub frame: Option<u64>,
    /// All frames as a film: .gif, or with ffmpeg installed .mp4 or .webp.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["frame", "out"])]
    pub film: Option<PathBuf>,
    /// Pictures of the film per second [default: as many as frames per simulated second, at most
    /// 30].
    #[arg(
        long,
        value_name = "N",
        requires = "film",
        value_parser = clap::value_parser!(u16).range(1..=240)
    )]
    pub fps: Option<u16>,
    /// Where the picture goes [default: DIR/frame-NNNN.png].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a file that is there even if this program did not make it.
    #[arg(long)]
    pub force: bool,
    /// Show the surface of the liquid instead of its particles.
    #[arg(long)]
    pub surface: bool,
    /// Pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: [usize; 2],
    /// What colours mean [default: phase where there are several fluids, else velocity].
    #[arg(long, value_enum)]
    pub color: Option<Quantity>,
    /// From where: front, side, top, three-quarter, or "eye=x,y,z target=x,y,z fov=40".
    #[arg(long, value_name = "VIEW")]
    pub camera: Option<String>,
    /// Samples per pixel each way; 1 is fastest.
    #[arg(
        long,
        value_name = "N",
        default_value = "2",
        value_parser = clap::value_parser!(u8).range(1..=4)
    )]
    pub samples: u8,
    /// Who draws.
    #[arg(long, value_enum, default_value = "auto")]
    pub renderer: renderer::Choice,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The directory of a run.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Number of the frame [default: all].
    #[arg(long, value_name = "N")]
    pub frame: Option<u64>,
    /// Also the surface of the liquid, one mesh per fluid.
    #[arg(long)]
    pub surface: bool,
    /// File format of the meshes.
    #[arg(long, value_enum, default_value = "ply")]
    pub format: MeshFormat,
    /// Where the meshes go [default: DIR/meshes].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Replace files that are there even if this program did not make them.
    #[arg(long)]
    pub force: bool,
}

impl RunArguments {
    /// The flags that change the scene, as overrides like those of `--set`.
    pub(crate) fn overrides(&self) -> Vec<String> {
        let mut overrides = self.set.clone();
        if let Some(time) = self.until {
            overrides.push(format!("simulation.duration={time:?}"));
        }
        overrides.extend(self.method.iter().flat_map(|method| method.overrides()));
        if self.surface {
            overrides.push("output.surface=true".to_owned());
        }
        if self.verify {
            overrides.push("elastic_solver.verify=true".to_owned());
        }
        if !self.format.is_empty() {
            let names: Vec<String> =
                self.format.iter().filter_map(|format| format.quoted()).collect();
            overrides.push(format!("output.formats=[{}]", names.join(", ")));
        }
        overrides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(line.split(' '))
    }

    #[test]
    fn flags_become_overrides_of_the_scene() {
        let line = "splashdown run x --until 3 --method weak,iisph --format vtk,ply --set a.b=1";
        let Some(Command::Run(run)) = parse(line).unwrap().command else { panic!() };
        assert_eq!(
            run.overrides(),
            [
                "a.b=1",
                "simulation.duration=3.0",
                "coupling.method=\"weak\"",
                "pressure.solver=\"iisph\"",
                "output.formats=[\"vtk\", \"ply\"]"
            ]
        );
    }

    #[test]
    fn a_resumed_run_keeps_its_scene() {
        assert!(parse("splashdown run --resume --set a=1").is_err());
        assert!(parse("splashdown run --resume --force").is_err());
        assert!(parse("splashdown run --resume --until 5 --out x").is_ok());
        assert!(parse("splashdown run --threads 0").is_err());
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
