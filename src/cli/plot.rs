//! `bunraku plot`: curves of a motion or a table as a picture.

mod combine;
mod map;
mod pixels;

use std::io::Write;
use std::path::{Path, PathBuf};

use bunraku::body::Body;
use bunraku::document::{closest, write_atomically};
use bunraku::motion::{Channel, PlotSize, channels, is_of_pose};
use clap::Args;

use super::common::{CommonArgs, Failure};
use super::files::{self, Loaded};
use super::output::line;
use super::replay::load;
use super::table;
use combine::Expression;

/// Draw channels of a motion over time as SVG or PNG
///
/// The channels of a motion are `root.x`, `root.y`, `root.z`, `root.roll`, `root.pitch`, `root.yaw`, the displacements
/// of joints by name (or `joint0`, `joint1`, … without `--body`), with `--body` also `LINK.x` … `LINK.yaw` of links
/// that were recorded, `zmp.x` and so on, and those of other contents of the file. Without `--channel` all joints are
/// drawn, or the root if there are none. A channel `A - B` is the difference of two. `--map` draws a column of any table over two others.
#[derive(Args)]
pub struct PlotArgs {
    /// A motion (.seq), or a table with a column `time` (.csv)
    file: PathBuf,
    /// Channel to draw: a name, a pattern with `*`, or `A - B` or `A + B` of two names; may be given several times
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// Another file whose channels are drawn over those of FILE, named `NAME (OTHER)`; may be given several times
    #[arg(long = "with", value_name = "OTHER", conflicts_with = "map")]
    others: Vec<PathBuf>,
    /// Draw the column VALUE of a table as colours over the columns X and Y, one square for each row
    #[arg(long, num_args = 3, value_names = ["X", "Y", "VALUE"], conflicts_with_all = ["channels", "body"])]
    map: Option<Vec<String>>,
    /// The model that moves: gives joints their names and units
    #[arg(long, value_name = "MODEL")]
    body: Option<PathBuf>,
    /// The picture, `.svg` or `.png` [default: FILE with `.svg` for its ending]
    #[arg(long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Pixels across and, for each unit, down [default: 900x320, of a map 640x480]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<PlotSize>,
}

fn size(text: &str) -> Result<PlotSize, String> {
    let parsed = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match parsed {
        Some((width @ 200..=10_000, panel_height @ 100..=10_000)) => Ok(PlotSize { width, panel_height }),
        _ => Err("write two numbers from 200x100 to 10000x10000, such as 900x320".to_owned()),
    }
}

pub fn plot(arguments: &PlotArgs, common: &CommonArgs) -> Result<(), Failure> {
    let path = &arguments.file;
    let out = arguments.out.clone().unwrap_or_else(|| path.with_extension("svg"));
    let is = |ending| out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    if !is("svg") && !is("png") {
        return Err(Failure::Usage(format!("the picture must end in `.svg` or `.png`: {}", out.display())));
    }
    let title = path.file_name().unwrap_or_default().to_string_lossy();
    let drawing = match &arguments.map {
        Some(names) => {
            let size = arguments.size.unwrap_or(PlotSize { width: 640, panel_height: 480 });
            map::map(&title, names, &map::columns(path, names)?, size)
        }
        None => bunraku::motion::plot(&title, &curves(arguments, common)?, arguments.size.unwrap_or_default()),
    };
    let failed = |reason: String| Failure::Message(format!("cannot write the picture: {reason}: {}", out.display()));
    let bytes = match is("png") {
        false => drawing.to_svg().into_bytes(),
        true => pixels::draw(&drawing).and_then(|picture| picture.encoded()).map_err(failed)?,
    };
    write_atomically(&out, |file| file.write_all(&bytes)).map_err(|error| failed(error.to_string()))?;
    line(format!("written    {}", out.display()))
}

/// The chosen channels of a motion or a table over time.
fn curves(arguments: &PlotArgs, common: &CommonArgs) -> Result<Vec<Channel>, Failure> {
    let path = &arguments.file;
    let body = match &arguments.body {
        Some(model) => match load(model, common)? {
            Loaded::Model(body) => Some(*body),
            _ => return Err(Failure::Usage(format!("`--body` is not a model: {}", model.display()))),
        },
        None => None,
    };
    let mut channels = of_file(path, body.as_ref(), common)?;
    if channels.is_empty() {
        return Err(Failure::Message(format!("there is nothing to draw in {}", path.display())));
    }
    let mut wanted = arguments.channels.clone();
    for other in &arguments.others {
        let name = other.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = of_file(other, body.as_ref(), common)?;
        channels
            .extend(found.into_iter().map(|channel| Channel { name: format!("{} ({name})", channel.name), ..channel }));
        // The channels of the first file are drawn of the others, if they have them.
        for pattern in arguments.channels.iter().filter(|pattern| Expression::parse(pattern).is_none()) {
            let pattern = format!("{pattern} ({name})");
            if channels.iter().any(|channel| matches(&pattern, &channel.name)) {
                wanted.push(pattern);
            }
        }
    }
    choose(&channels, &wanted, path)
}

/// All channels of a motion or a table.
fn of_file(path: &Path, body: Option<&Body>, common: &CommonArgs) -> Result<Vec<Channel>, Failure> {
    if files::is_table(path) {
        return table::channels(path);
    }
    match load(path, common)? {
        Loaded::Motion(motion) => Ok(channels(&motion, body)),
        Loaded::Model(_) => Err(not_a_motion("a model", path)),
        Loaded::Scene(_) => Err(not_a_motion("a scene: `bunraku run` it, and plot what it records", path)),
        Loaded::Tasks(_) | Loaded::Robot(_) => {
            Err(not_a_motion("a task: `bunraku task run` it, and plot what it records", path))
        }
    }
}

fn not_a_motion(what: &str, path: &Path) -> Failure {
    Failure::Usage(format!("only motions and tables have curves, and this is {what}: {}", path.display()))
}

fn choose(channels: &[Channel], wanted: &[String], path: &Path) -> Result<Vec<Channel>, Failure> {
    if wanted.is_empty() {
        let plain = |name: &str| name.rsplit_once(" (").map_or(name, |(name, _)| name).to_owned();
        let is_usual = |channel: &&Channel| files::is_table(path) || !is_of_pose(&plain(&channel.name));
        let usual: Vec<Channel> = channels.iter().filter(is_usual).cloned().collect();
        return Ok(if usual.is_empty() { channels.to_vec() } else { usual });
    }
    let mut chosen: Vec<Channel> = Vec::new();
    let unknown = |pattern: &str| {
        let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
        Failure::Message(format!("{} has no channel `{pattern}`: {}", path.display(), hint(pattern, &names)))
    };
    for pattern in wanted {
        let found: Vec<&Channel> = channels.iter().filter(|channel| matches(pattern, &channel.name)).collect();
        if let (true, Some(expression)) = (found.is_empty(), Expression::parse(pattern)) {
            let of = |name: &str| channels.iter().find(|channel| channel.name == name).ok_or_else(|| unknown(name));
            chosen.push(expression.of(of(expression.first)?, of(expression.second)?).map_err(Failure::Usage)?);
            continue;
        }
        if found.is_empty() {
            return Err(unknown(pattern));
        }
        for channel in found {
            if !chosen.contains(channel) {
                chosen.push(channel.clone());
            }
        }
    }
    Ok(chosen)
}

/// The help text that suggests names for a pattern that matches none.
fn hint(pattern: &str, names: &[&str]) -> String {
    if let Some(meant) = closest(pattern, names.iter().copied()) {
        return format!("did you mean `{meant}`?");
    }
    let part = pattern.trim_matches('*').to_lowercase();
    let within = |name: &&str| {
        let start = name.to_lowercase().find(&part).filter(|_| !part.is_empty())?;
        name.get(start..start + part.len()).map(str::to_owned)
    };
    if let Some(part) = names.iter().find_map(within) {
        return format!("`--channel '*{part}*'` draws all whose names have that in them");
    }
    let more = if names.len() > 12 { ", …" } else { "" };
    format!("it has {}{more}", names[..names.len().min(12)].join(", "))
}

/// Whether a name matches a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}
