//! `crosscut render`: a picture of a run, without a browser.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use crosscut_run::Clock;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Grains, Problem, Thresholds};
use crosscut_tree::{Cut, NodeId, Plain, open};
use crosscut_view::colour::ColourBy;
use crosscut_view::dag::{DagOptions, Scale, dag};
use crosscut_view::grain::{GrainOptions, Look, grain};
use crosscut_view::palette::Theme;
use crosscut_view::png::png;
use crosscut_view::profile::{ProfileOptions, profile};
use crosscut_view::scene::Scene;
use crosscut_view::svg::svg;
use crosscut_view::timeline::{TimelineOptions, timeline};

use crate::grains::{Baseline, Limits, must_tell};
use crate::{output, runs, size};

/// The cut that a picture has when none is asked for shows at most this many boxes.
const FITTING: usize = 400;
/// A picture shows at most this many boxes.
const MOST: usize = 20_000;

/// Draw a picture of a run.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// Which picture.
    #[arg(long)]
    view: View,
    /// What is open in the DAG or the grain graph: a cut as the page's address holds it.
    #[arg(long, value_name = "TEXT", conflicts_with = "depth")]
    cut: Option<String>,
    /// Open the DAG or the grain graph to this depth.
    #[arg(long, value_name = "N", value_parser = size::whole::<usize>, allow_negative_numbers = true)]
    depth: Option<usize>,
    /// The problem that the grain graph shows, such as low-parallel-benefit or sibling-imbalance=3.
    #[arg(long, value_name = "PROBLEM[=THRESHOLD]")]
    lens: Option<String>,
    /// Fold groups of the grain graph that are alike.
    #[arg(long)]
    alike: bool,
    /// A run of the same program that the grain graph's work is compared with [default: what `crosscut compare` noted]
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// What decides colour [default: source in the grain graph, worker elsewhere]
    #[arg(long, alias = "color")]
    colour: Option<Colour>,
    /// What decides the height of a box in the DAG or of a grain [default: even]
    #[arg(long)]
    scale: Option<Height>,
    /// Start of the window of time, such as 1.5ms, or in the clock's unit [default: the start]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    from: Option<String>,
    /// End of the window of time [default: the end]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    to: Option<String>,
    /// Width of timeline and profile in pixels [default: 1200]
    #[arg(long, value_parser = clap::value_parser!(u32).range(100..=20_000), allow_negative_numbers = true)]
    width: Option<u32>,
    /// Height of timeline and profile in pixels [default: 640 and 240]
    #[arg(long, value_parser = clap::value_parser!(u32).range(50..=20_000), allow_negative_numbers = true)]
    height: Option<u32>,
    /// Colours on a light or on a dark ground.
    #[arg(long, default_value = "light")]
    theme: Ground,
    /// Mark the critical path.
    #[arg(long)]
    critical: bool,
    /// The picture, .svg or .png; one that is there is replaced.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    Dag,
    Timeline,
    Profile,
    Grain,
}

#[derive(Clone, Copy, ValueEnum)]
enum Colour {
    Worker,
    Kind,
    Source,
    Core,
}

#[derive(Clone, Copy, ValueEnum)]
enum Height {
    Even,
    Log,
    Linear,
}

#[derive(Clone, Copy, ValueEnum)]
enum Ground {
    Light,
    Dark,
}

enum Format {
    Svg,
    Png,
}

/// Draws it.
pub fn run(args: Args) -> Result<()> {
    let format = format(&args.output)?;
    refuse_idle_options(&args)?;
    let tasks = Tasks::open(runs::open(&args.run)?)?;
    let scene = scene(&tasks, &args)?;
    let theme = match args.theme {
        Ground::Light => &Theme::LIGHT,
        Ground::Dark => &Theme::DARK,
    };
    let picture = match format {
        Format::Svg => svg(&scene, theme).into_bytes(),
        Format::Png => png(&scene, theme, 1.0)?,
    };
    output::replace(&args.output, |file| file.write_all(&picture))
        .with_context(|| args.output.display().to_string())
}

/// An option that the picture does not heed is a mistake: better told than passed over.
fn refuse_idle_options(args: &Args) -> Result<()> {
    use View::{Dag, Grain, Profile, Timeline};
    let given = [
        ("--cut", args.cut.is_some(), &[Dag, Grain][..]),
        ("--depth", args.depth.is_some(), &[Dag, Grain]),
        ("--scale", args.scale.is_some(), &[Dag, Grain]),
        ("--critical", args.critical, &[Dag, Grain]),
        ("--lens", args.lens.is_some(), &[Grain]),
        ("--alike", args.alike, &[Grain]),
        ("--baseline", args.baseline.is_some(), &[Grain]),
        ("--threshold", args.limits.is_given(), &[Grain]),
        ("--colour", args.colour.is_some(), &[Dag, Timeline, Grain]),
        ("--from", args.from.is_some(), &[Timeline, Profile]),
        ("--to", args.to.is_some(), &[Timeline, Profile]),
        ("--width", args.width.is_some(), &[Timeline, Profile]),
        ("--height", args.height.is_some(), &[Timeline, Profile]),
    ];
    let name = |view: &View| view.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
    for (option, given, views) in given {
        if given && !views.contains(&args.view) {
            let views: Vec<String> = views.iter().map(name).collect();
            let (view, views) = (name(&args.view), views.join(", --view "));
            bail!("{option} has no effect with --view {view}; it is for --view {views}");
        }
    }
    if args.limits.is_given() && args.lens.is_none() {
        bail!("a threshold has no effect without a problem; name one by --lens");
    }
    Ok(())
}

fn format(path: &Path) -> Result<Format> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => bail!("{}: no picture that can be made; let its name end in .svg or .png", path.display()),
    }
}

fn scene(tasks: &Tasks, args: &Args) -> Result<Scene> {
    let colour = match (args.colour, args.view) {
        (Some(Colour::Worker), _) => ColourBy::Worker,
        (Some(Colour::Kind), _) => ColourBy::Kind,
        (Some(Colour::Source), _) | (None, View::Grain) => ColourBy::Source,
        (Some(Colour::Core), _) => ColourBy::Core,
        (None, _) => ColourBy::Worker,
    };
    let scale = match args.scale {
        None | Some(Height::Even) => Scale::Even,
        Some(Height::Log) => Scale::Log,
        Some(Height::Linear) => Scale::Linear,
    };
    let (from, to) = window(tasks, args)?;
    let width = args.width.unwrap_or(1200) as f32;
    let height = |default: u32| args.height.unwrap_or(default) as f32;
    Ok(match args.view {
        View::Dag => dag(tasks, &cut(tasks, args)?, &DagOptions { colour, scale, critical: args.critical }),
        View::Timeline => {
            timeline(tasks, from, to, &TimelineOptions { width, height: height(640), colour, focus: None })
        }
        View::Profile => profile(tasks, from, to, &ProfileOptions { width, height: height(240) }),
        View::Grain => grains(tasks, args, colour, scale)?,
    })
}

fn grains(tasks: &Tasks, args: &Args, colour: ColourBy, scale: Scale) -> Result<Scene> {
    let grains = Grains::new(tasks);
    let asked = args.lens.as_deref().map(|text| lens(text, &args.limits)).transpose().context("--lens")?;
    // Only work deviation takes another run; all else is spared it.
    let needs = args.baseline.is_some() || asked.as_ref().is_some_and(|(p, _)| *p == Problem::WorkDeviation);
    let baseline = if needs { Baseline::find(args.baseline.as_deref(), tasks, &grains)? } else { None };
    let deviation = baseline.as_ref().map(|baseline| &baseline.deviation);
    let set = match asked {
        Some((problem, thresholds)) => {
            must_tell(&grains, problem, deviation).context("--lens")?;
            Some(grains.problem(problem, thresholds.of(problem, &grains), deviation))
        }
        None => None,
    };
    let look = Look { tasks, grains: &grains, lens: set.as_ref(), deviation, alike: args.alike, paths: None };
    let cut = match (args.cut.as_deref().filter(|text| !text.is_empty()), args.depth) {
        (Some(text), _) => Cut::from_text(grains.tree(), text).with_context(|| format!("--cut {text}"))?,
        (None, Some(depth)) => open::to_depth(&look, depth, MOST).0,
        (None, None) => open::fitting(&look, FITTING),
    };
    let options = GrainOptions { colour, scale, path_of: args.critical.then_some(NodeId::ROOT) };
    grain(&look, &cut, MOST, &options)
        .with_context(|| format!("more than {MOST} things would be visible; open less with --depth or --cut"))
}

/// A problem, with the thresholds that hold for it: its own wins.
fn lens(text: &str, limits: &Limits) -> Result<(Problem, Thresholds)> {
    let mut thresholds = limits.thresholds()?;
    let (word, threshold) = match text.split_once('=') {
        Some((word, number)) => (word, Some(number)),
        None => (text, None),
    };
    let problem: Problem = word.trim().parse().map_err(|error: String| anyhow!(error))?;
    if let Some(number) = threshold {
        let value = number.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let wrong = || format!("`{text}`: the threshold is not a number from 0 on");
        thresholds.set(problem, value.with_context(wrong)?);
    }
    Ok((problem, thresholds))
}

fn cut(tasks: &Tasks, args: &Args) -> Result<Cut> {
    let tree = tasks.tree();
    if let Some(text) = args.cut.as_deref().filter(|text| !text.is_empty()) {
        return Cut::from_text(tree, text).with_context(|| format!("--cut {text}"));
    }
    let Some(depth) = args.depth else { return Ok(Cut::fitting(tree, FITTING)) };
    let (cut, reached) = open::to_depth(&Plain(tree), depth, MOST);
    if reached < depth && reached < tasks.summary().depth as usize {
        output::say(&format!("opened to depth {reached}: deeper, there would be more than {MOST} boxes"));
    }
    Ok(cut)
}

fn window(tasks: &Tasks, args: &Args) -> Result<(i64, i64)> {
    let time = |text: &Option<String>, default| match text {
        Some(text) => parse_time(text, tasks.clock()),
        None => Ok(default),
    };
    let (from, to) = (time(&args.from, 0)?, time(&args.to, tasks.summary().elapsed)?);
    if from >= to {
        bail!(
            "the window of time from {from} to {to} {} is empty; let --from be less than --to",
            tasks.clock().unit()
        );
    }
    Ok((from, to))
}

/// A time in the run's clock unit: `1500`, `1e6`; with a unit when the clock counts nanoseconds: `1.5ms`.
pub fn parse_time(text: &str, clock: Clock) -> Result<i64> {
    let wrong = || {
        anyhow!(
            "`{text}` is not a time; write it like 250us, 1.5ms or 2s, or in the clock's unit ({})",
            clock.unit()
        )
    };
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let with_unit = units.iter().find_map(|(unit, ns)| Some((text.strip_suffix(unit)?.trim(), ns)));
    if let (Some((number, ns)), Clock::Ns) = (with_unit, clock) {
        let value = number.parse::<f64>().map_err(|_| wrong())? * ns;
        return if (0.0..9e18).contains(&value) { Ok(value.round() as i64) } else { Err(wrong()) };
    }
    size::parse(text).ok().and_then(|time| i64::try_from(time).ok()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let ns = |text| parse_time(text, Clock::Ns).ok();
        assert_eq!(ns("1500"), Some(1_500));
        assert_eq!(ns("1e6"), Some(1_000_000));
        assert_eq!(ns("1.5ms"), Some(1_500_000));
        assert_eq!(ns("250 us"), Some(250_000));
        assert_eq!(ns("250µs"), Some(250_000));
        assert_eq!(ns("2s"), Some(2_000_000_000));
        assert_eq!(ns("3ns"), Some(3));
        for text in ["", "ms", "-1ms", "1h", "NaNs", "infs", "1e30s"] {
            assert_eq!(ns(text), None, "{text}");
        }
        assert_eq!(parse_time("1e6", Clock::Ticks).ok(), Some(1_000_000));
        assert!(parse_time("1ms", Clock::Ticks).is_err());
    }
}
