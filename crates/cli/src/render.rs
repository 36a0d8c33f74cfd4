//! `crosscut render`: a picture of a run, without a browser. Which pictures there are, and how they can be drawn, is what
//! the domains declare: the options of their views are the flags here.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, ValueEnum};
use crosscut_run::Clock;
use crosscut_scene::palette::Theme;
use crosscut_scene::png::png;
use crosscut_scene::svg::svg;
use crosscut_view::REGISTRY;
use crosscut_workbench::{
    LensSpec, Look, Nodes, Opt, OptKind, Pane, Scope, Selection, Shown, Size, Span, TreeKey, TreeLook, View,
    Workbench,
};

use crate::settings::{self, Limits};
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
    /// Which picture, such as dag or tasks.dag.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(view_names()))]
    view: String,
    /// What is open in a graph: a cut as the page's address holds it.
    #[arg(long, value_name = "TEXT", conflicts_with = "depth")]
    cut: Option<String>,
    /// Open a graph to this depth.
    #[arg(long, value_name = "N", value_parser = size::whole::<usize>, allow_negative_numbers = true)]
    depth: Option<usize>,
    /// An option of a tree that decides what there is to see, such as phases.k=27.
    #[arg(long, value_name = "TREE.OPTION=VALUE")]
    with: Vec<String>,
    /// What a graph is looked through: a problem of grains such as low-parallel-benefit or sibling-imbalance=3.
    #[arg(long, value_name = "LENS[=VALUE]")]
    lens: Option<String>,
    /// A run of the same program that work is compared with [default: what `crosscut baseline` set]
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// Start of the window of time, such as 1.5ms, or in the clock's unit [default: the start]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    from: Option<String>,
    /// End of the window of time [default: the end]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    to: Option<String>,
    /// In pictures of call paths: only what ran inside of some nodes of a tree, such as tasks:17 or phases:3,5-7.
    #[arg(long, value_name = "TREE:NODES")]
    inside: Option<String>,
    /// Width in pixels of a picture with axes [default: 1200]
    #[arg(long, value_parser = clap::value_parser!(u32).range(100..=20_000), allow_negative_numbers = true)]
    width: Option<u32>,
    /// Height in pixels of a picture with axes [default: 640]
    #[arg(long, value_parser = clap::value_parser!(u32).range(50..=20_000), allow_negative_numbers = true)]
    height: Option<u32>,
    /// Colours on a light or on a dark ground.
    #[arg(long, default_value = "light")]
    theme: Ground,
    /// The picture, .svg or .png; one that is there is replaced.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    options: ViewOptions,
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

/// Views of all domains that are pictures.
fn views() -> impl Iterator<Item = &'static View> {
    REGISTRY
        .iter()
        .flat_map(|entry| entry.views)
        .filter(|view| !matches!(view.pane, Pane::Sheet | Pane::Table))
}

/// The end of a view's name, by which it is called where only one ends so.
fn short(view: &View) -> &'static str {
    view.name.rsplit('.').next().unwrap_or(view.name)
}

/// Short names first, whole names too; hidden ones are not listed, but can be asked for.
fn view_names() -> Vec<clap::builder::PossibleValue> {
    let value =
        |view: &View| clap::builder::PossibleValue::new(short(view)).alias(view.name).hide(view.hidden);
    views().map(value).collect()
}

/// The options of all views that were given, by name.
#[derive(Default)]
struct ViewOptions {
    given: Vec<(&'static str, String)>,
}

/// Options of all views, each name once.
fn all_options() -> Vec<&'static Opt> {
    let mut all: Vec<&'static Opt> = Vec::new();
    for opt in views().flat_map(|view| view.options) {
        if !all.iter().any(|other| other.name == opt.name) {
            all.push(opt);
        }
    }
    all
}

/// Views that have an option.
fn having(name: &str) -> Vec<&'static str> {
    views()
        .filter(|view| !view.hidden && view.options.iter().any(|opt| opt.name == name))
        .map(short)
        .collect()
}

impl clap::Args for ViewOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        all_options().into_iter().fold(command, |command, opt| {
            let help = format!("{} ({})", opt.title, having(opt.name).join(", "));
            let arg = Arg::new(opt.name).long(opt.name).help(help).hide(having(opt.name).is_empty());
            let arg = match &opt.kind {
                OptKind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
                OptKind::Choice { values } => {
                    arg.value_parser(PossibleValuesParser::new(values.iter().map(|(value, _)| *value)))
                }
                OptKind::Number { .. } => arg.value_name("NUMBER").allow_negative_numbers(true),
                OptKind::Metric { .. } => arg.value_name("METRIC"),
                OptKind::Text => arg.value_name("TEXT"),
                OptKind::Nodes { .. } => arg.value_name("NODES"),
            };
            command.arg(if opt.name == "colour" { arg.alias("color") } else { arg })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for ViewOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |opt: &'static Opt| Some((opt.name, matches.get_one::<String>(opt.name)?.clone()));
        Ok(ViewOptions { given: all_options().into_iter().filter_map(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Draws it.
pub fn run(args: Args) -> Result<()> {
    let format = format(&args.output)?;
    let view = views().find(|view| view.name == args.view || short(view) == args.view);
    let view = view.with_context(|| format!("there is no view {}", args.view))?;
    refuse_ignored(&args, view)?;
    let run = runs::open(&args.run)?;
    let clock = run.manifest().clock;
    let bench = runs::bench(vec![settings::opened(run, args.baseline.as_deref(), &args.limits)?]);
    let look = look(&bench, &args, view, clock)?;
    let Shown::Scene(scene) = bench.draw(&look).map_err(|refusal| anyhow!(refusal.0))?.shown else {
        bail!("{} is text, not a picture", view.name);
    };
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

/// An option that the picture ignores is a mistake: better told than passed over.
fn refuse_ignored(args: &Args, view: &View) -> Result<()> {
    let graph = view.pane == Pane::Graph;
    let lens = graph && short(view) == "grains";
    let plain =
        |test: fn(&View) -> bool| views().filter(|v| !v.hidden && test(v)).map(short).collect::<Vec<_>>();
    let graphs = plain(|view| view.pane == Pane::Graph);
    let plots = plain(|view| view.pane == Pane::Plots);
    let given = [
        ("cut", args.cut.is_some(), graph, graphs.clone()),
        ("depth", args.depth.is_some(), graph, graphs.clone()),
        ("lens", args.lens.is_some(), lens, vec!["grains"]),
        ("baseline", args.baseline.is_some(), lens, vec!["grains"]),
        ("threshold", args.limits.is_given(), lens, vec!["grains"]),
        ("from", args.from.is_some(), !graph, plots.clone()),
        ("to", args.to.is_some(), !graph, plots.clone()),
        ("width", args.width.is_some(), !graph, plots.clone()),
        ("height", args.height.is_some(), !graph, plots),
    ];
    let own = args
        .options
        .given
        .iter()
        .map(|(name, _)| (*name, true, view.options.iter().any(|opt| opt.name == *name), having(name)));
    for (option, given, has_effect, views) in given.into_iter().chain(own) {
        if given && !has_effect {
            let (view, views) = (short(view), views.join(", --view "));
            bail!("--{option} has no effect with --view {view}; it is for --view {views}");
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

/// An option of a tree of the view: the tree, the option, its value.
fn with<'a>(text: &'a str, view: &View, inside: Option<&Selection>) -> Result<(&'a str, &'a str, &'a str)> {
    let parted = text.split_once('=').and_then(|(name, value)| Some((name.split_once('.')?, value)));
    let Some(((tree, option), value)) = parted else {
        bail!("--with {text}: write TREE.OPTION=VALUE, such as phases.k=27");
    };
    // A tree with a parameter is declared as `NAME/*`.
    let is = |shown: &&str| match shown.strip_suffix('*') {
        Some(name) => tree.strip_prefix(name).is_some_and(|parameter| !parameter.is_empty()),
        None => *shown == tree,
    };
    if !view.trees.iter().any(is) && inside.is_none_or(|inside| inside.tree.name != tree) {
        bail!("--with {text}: {} shows the trees {}", short(view), view.trees.join(", "));
    }
    Ok((tree, option, value))
}

/// The look that the flags describe.
fn look(bench: &Workbench, args: &Args, view: &View, clock: Clock) -> Result<Look> {
    let refused = |refusal: crosscut_workbench::Refusal| anyhow!(refusal.0);
    let mut look = Look::of(view.name, 0);
    look.options =
        args.options.given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    // Pictures on paper are compared: boxes are alike unless something else is asked for.
    if view.options.iter().any(|opt| opt.name == "scale") {
        look.options.entry("scale".to_owned()).or_insert_with(|| "even".to_owned());
    }
    let height = if short(view) == "profile" { 240 } else { 640 };
    look.size = Size { w: args.width.unwrap_or(1200) as f32, h: args.height.unwrap_or(height) as f32 };
    // The one tree whose values are known inside of others.
    if args.inside.is_some() && !view.trees.contains(&"calls") {
        bail!("--inside: {} is of the whole run; pictures of call paths are not", short(view));
    }
    let inside = args.inside.as_deref().map(inside).transpose()?;
    look.scope = Scope { time: window(bench, args, clock)?, inside: inside.clone(), ..Scope::default() };
    for text in &args.with {
        let (tree, option, value) = with(text, view, inside.as_ref())?;
        let key = TreeKey::from(tree.to_owned());
        let known = bench.tree(0, &key).map_err(refused)?.options;
        if !known.iter().any(|opt| opt.name == option) {
            let names: Vec<&str> = known.iter().map(|opt| opt.name).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            bail!("--with {text}: {tree} has no option {option}; it has {names}");
        }
        look.trees.entry(key).or_default().with.insert(option.to_owned(), value.to_owned());
    }
    let Some(tree) = view.trees.first().filter(|_| view.pane == Pane::Graph) else { return Ok(look) };
    let state = TreeLook { lens: args.lens.as_deref().map(lens).transpose()?, ..TreeLook::default() };
    look.trees.insert(TreeKey::named(tree), state);
    match (args.cut.as_deref().filter(|text| !text.is_empty()), args.depth) {
        (Some(text), _) => look.trees.entry(TreeKey::named(tree)).or_default().cut = text.to_owned(),
        (None, Some(depth)) => {
            let reached = bench.to_depth(&mut look, tree, depth, MOST).map_err(refused)?;
            if reached < depth && !bench.opens_all(&look, tree).map_err(refused)? {
                output::say(&format!(
                    "opened to depth {reached}: deeper, there would be more than {MOST} boxes"
                ));
            }
        }
        (None, None) => bench.fit(&mut look, tree, FITTING).map_err(refused)?,
    }
    Ok(look)
}

/// A lens by its name, and where it begins if that is said.
fn lens(text: &str) -> Result<LensSpec> {
    let Some((name, number)) = text.split_once('=') else {
        return Ok(LensSpec { name: text.trim().to_owned(), value: None });
    };
    let value = number.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
    let wrong = || format!("`{text}`: the threshold is not a number from 0 on");
    Ok(LensSpec { name: name.trim().to_owned(), value: Some(value.with_context(wrong)?) })
}

/// Nodes of a tree.
fn inside(text: &str) -> Result<Selection> {
    let wrong = || format!("`{text}` are no nodes of a tree; write tasks:17 or phases:3,5-7");
    let (tree, nodes) = text.rsplit_once(':').with_context(wrong)?;
    let nodes = Nodes::try_from(nodes.to_owned()).map_err(|_| anyhow!(wrong()))?;
    let first = nodes.first().with_context(wrong)?;
    Ok(Selection { nodes, ..Selection::node(0, tree, first) })
}

/// The window of time, if one is asked for.
fn window(bench: &Workbench, args: &Args, clock: Clock) -> Result<Option<Span>> {
    if args.from.is_none() && args.to.is_none() {
        return Ok(None);
    }
    let whole = bench.runs[0].time().unwrap_or(Span(0.0, 0.0));
    let time = |text: &Option<String>, default: f64| match text {
        Some(text) => parse_time(text, clock),
        None => Ok(default as i64),
    };
    let (from, to) = (time(&args.from, whole.0)?, time(&args.to, whole.1)?);
    if from >= to {
        bail!(
            "the window of time from {from} to {to} {} is empty; let --from be less than --to",
            clock.unit()
        );
    }
    Ok(Some(Span(from as f64, to as f64)))
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
