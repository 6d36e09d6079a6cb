//! Meaning of the columns of a table, determined by their names.

use std::collections::HashMap;

use bunraku_document::closest;

use super::CsvNames;

/// Suffixes of the columns of a pose; the first three are those of a vector.
pub(super) const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

pub(super) const TIME: &str = "time";
pub(super) const LINK: &str = "link";
pub(super) const JOINT: &str = "joint";
pub(super) const ZMP: &str = "zmp";
pub(super) const RELATIVE_ZMP: &str = "zmp_relative";

/// Columns of the quantities of a motion.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) time: Option<usize>,
    pub(super) links: Labelled<[usize; 7]>,
    /// `None` for a joint that has no column.
    pub(super) joints: Labelled<Option<usize>>,
    /// Whether the ZMP is relative to the root, and its columns.
    pub(super) zmp: Option<(bool, [usize; 3])>,
    pub(super) others: Vec<(String, OtherColumns)>,
}

/// Columns of parts, with the labels of the parts if they have any.
#[derive(Debug, PartialEq)]
pub(super) struct Labelled<T> {
    pub(super) columns: Vec<T>,
    pub(super) labels: Vec<String>,
}

impl<T> Default for Labelled<T> {
    fn default() -> Self {
        Self { columns: Vec::new(), labels: Vec::new() }
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum OtherColumns {
    Values(Labelled<usize>),
    Poses(Labelled<[usize; 7]>),
    Vectors([usize; 3]),
}

/// Error in the name of a column.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the column.
    pub(super) column: usize,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Fault {
    fn new(column: usize, code: &'static str, message: String) -> Self {
        Self { column, code, message, help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Determines the meaning of each column.
pub(super) fn columns(header: &[&str], names: &CsvNames<'_>) -> Result<Columns, Fault> {
    check_names(header)?;
    let known_joints: HashMap<&str, usize> = numbered(names.joints);
    let known_links: HashMap<&str, usize> = numbered(names.links);
    let mut sorting = Sorting::default();
    for (column, &name) in header.iter().enumerate() {
        if let Some(&joint) = known_joints.get(name) {
            sorting.joints.push((name, Some(joint), column));
        } else if name.eq_ignore_ascii_case(TIME) {
            if let Some(first) = sorting.time.replace(column) {
                let message = format!("columns {} and {} are both times", first + 1, column + 1);
                return Err(Fault::new(column, "same-column", message));
            }
        } else if let Some((prefix, suffix)) = name.rsplit_once('.') {
            match POSE.iter().position(|known| *known == suffix) {
                Some(axis) => {
                    if let Some(slot) = sorting.group(prefix).get_mut(axis) {
                        *slot = Some(column);
                    }
                }
                None => sorting.values.push((prefix, suffix, column)),
            }
        } else if names.joints.is_empty() {
            sorting.joints.push((name, None, column));
        } else {
            let joint = number_after(JOINT, name).filter(|&index| index < names.joints.len() + header.len());
            let Some(joint) = joint else { return Err(unknown_joint(column, name, names)) };
            sorting.joints.push((name, Some(joint), column));
        }
    }
    sorting.finish(names, &known_links)
}

/// Checks that names are unique and nonempty.
fn check_names(header: &[&str]) -> Result<(), Fault> {
    let mut seen = HashMap::new();
    for (column, &name) in header.iter().enumerate() {
        if name.is_empty() {
            let fault = Fault::new(column, "csv-header", format!("column {} has no name", column + 1));
            return Err(fault.help("the first line names the columns; is there an extra comma?"));
        }
        if let Some(first) = seen.insert(name, column) {
            let message = format!("columns {} and {} have the same name `{name}`", first + 1, column + 1);
            return Err(Fault::new(column, "same-column", message));
        }
    }
    if header.iter().all(|name| name.parse::<f64>().is_ok()) {
        let fault =
            Fault::new(0, "csv-header", "the first line has numbers where the columns should be named".to_owned());
        return Err(fault.help("begin with a line such as `time,joint0,joint1`"));
    }
    Ok(())
}

fn numbered(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().filter(|(_, name)| !name.is_empty()).map(|(index, name)| (name.as_str(), index)).collect()
}

fn unknown_joint(column: usize, name: &str, names: &CsvNames<'_>) -> Fault {
    let fault = Fault::new(column, "unknown-column", format!("there is no joint `{name}`"));
    match closest(name, names.joints.iter().map(String::as_str).chain([TIME])) {
        Some(meant) => fault.help(format!("did you mean `{meant}`?")),
        None => fault.help("columns with a dot in their name are read as further sequences"),
    }
}

/// Number after a stem, in the notation of this format: `joint7`, not `joint07`.
pub(super) fn number_after(stem: &str, name: &str) -> Option<usize> {
    let digits = name.strip_prefix(stem)?;
    let number: usize = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// Columns classified by the form of their names.
#[derive(Default)]
struct Sorting<'h> {
    time: Option<usize>,
    /// Name, index if known, column.
    joints: Vec<(&'h str, Option<usize>, usize)>,
    /// Prefixes before `.x`, `.y`…, in order of appearance.
    groups: Vec<(&'h str, [Option<usize>; 7])>,
    group_of: HashMap<&'h str, usize>,
    /// Content, part, column.
    values: Vec<(&'h str, &'h str, usize)>,
}

impl<'h> Sorting<'h> {
    #[expect(clippy::indexing_slicing, reason = "each known index is that of a group")]
    fn group(&mut self, prefix: &'h str) -> &mut [Option<usize>; 7] {
        let Self { groups, group_of, .. } = self;
        let index = *group_of.entry(prefix).or_insert_with(|| {
            groups.push((prefix, [None; 7]));
            groups.len() - 1
        });
        &mut groups[index].1
    }

    fn finish(self, names: &CsvNames<'_>, known_links: &HashMap<&str, usize>) -> Result<Columns, Fault> {
        let mut columns = Columns { time: self.time, ..Columns::default() };
        let mut links = Vec::new();
        let mut others = Others::default();
        for &(prefix, group) in &self.groups {
            let first = group.iter().flatten().min().copied().unwrap_or_default();
            match group {
                [Some(x), Some(y), Some(z), Some(qw), Some(qx), Some(qy), Some(qz)] => {
                    let pose = [x, y, z, qw, qx, qy, qz];
                    if let Some(&link) = known_links.get(prefix) {
                        links.push((prefix, Some(link), pose));
                    } else if let Some((content, part)) = prefix.rsplit_once('.') {
                        others.pose(content, part, pose)?;
                    } else if names.links.is_empty() {
                        links.push((prefix, None, pose));
                    } else {
                        let link = number_after(LINK, prefix);
                        let Some(link) = link else { return Err(unknown_link(first, prefix, names)) };
                        links.push((prefix, Some(link), pose));
                    }
                }
                [Some(x), Some(y), Some(z), None, None, None, None] => {
                    let vector = [x, y, z];
                    if prefix != ZMP && prefix != RELATIVE_ZMP {
                        others.vector(prefix, vector)?;
                    } else if columns.zmp.replace((prefix == RELATIVE_ZMP, vector)).is_some() {
                        let message = format!("there are both `{ZMP}` and `{RELATIVE_ZMP}`");
                        return Err(Fault::new(first, "same-column", message));
                    }
                }
                _ => return Err(incomplete(first, prefix, &group)),
            }
        }
        for &(content, part, column) in &self.values {
            others.value(content, part, column)?;
        }
        columns.others = others.finish();
        columns.links = finish_links(links, names)?;
        columns.joints = finish_joints(self.joints, names)?;
        Ok(columns)
    }
}

fn unknown_link(column: usize, name: &str, names: &CsvNames<'_>) -> Fault {
    let fault = Fault::new(column, "unknown-column", format!("there is no link `{name}`"));
    match closest(name, names.links.iter().map(String::as_str)) {
        Some(meant) => fault.help(format!("did you mean `{meant}`?")),
        None => fault.help("poses of a further sequence are called `CONTENT.PART.x` and so on"),
    }
}

fn incomplete(column: usize, prefix: &str, group: &[Option<usize>; 7]) -> Fault {
    let wanted = if group[3..].iter().any(Option::is_some) { &POSE[..] } else { &POSE[..3] };
    let missing: Vec<_> = wanted.iter().zip(group).filter(|(_, column)| column.is_none()).collect();
    let missing: Vec<_> = missing.iter().map(|(axis, _)| format!("`{prefix}.{axis}`")).collect();
    let fault = Fault::new(column, "missing-column", format!("`{prefix}` lacks the columns {}", missing.join(", ")));
    fault.help("a pose has x, y, z, qw, qx, qy and qz, a vector x, y and z")
}

fn finish_links(
    mut links: Vec<(&str, Option<usize>, [usize; 7])>,
    names: &CsvNames<'_>,
) -> Result<Labelled<[usize; 7]>, Fault> {
    if names.links.is_empty() {
        let found: Vec<_> = links.iter().map(|&(name, _, pose)| (name, pose)).collect();
        return Ok(in_order(LINK, &found));
    }
    links.sort_by_key(|&(_, link, _)| link);
    for (index, &(name, link, pose)) in links.iter().enumerate() {
        let link = link.unwrap_or(index);
        if link < index {
            return Err(Fault::new(pose[0], "same-column", format!("the link `{name}` is there twice")));
        }
        if link > index {
            let missing = match names.links.get(index) {
                Some(missing) if !missing.is_empty() => missing.clone(),
                _ => format!("{LINK}{index}"),
            };
            let message = format!("there is the link `{name}` but not `{missing}`, which comes before it");
            return Err(Fault::new(pose[0], "missing-column", message).help("links go from the root on without gaps"));
        }
    }
    Ok(Labelled { columns: links.into_iter().map(|(_, _, pose)| pose).collect(), labels: Vec::new() })
}

fn finish_joints(
    joints: Vec<(&str, Option<usize>, usize)>,
    names: &CsvNames<'_>,
) -> Result<Labelled<Option<usize>>, Fault> {
    if names.joints.is_empty() {
        let found: Vec<_> = joints.iter().map(|&(name, _, column)| (name, Some(column))).collect();
        return Ok(in_order(JOINT, &found));
    }
    if joints.is_empty() {
        return Ok(Labelled::default());
    }
    // A motion may have more joints than the body. The indices beyond the body do not exceed the number of columns.
    let last = joints.iter().filter_map(|&(_, joint, _)| joint).max();
    let mut columns = vec![None; names.joints.len().max(last.map_or(0, |last| last + 1))];
    for (name, joint, column) in joints {
        let Some(place) = joint.and_then(|joint| columns.get_mut(joint)) else { continue };
        if place.replace(column).is_some() {
            return Err(Fault::new(column, "same-column", format!("the joint `{name}` is there twice")));
        }
    }
    Ok(Labelled { columns, labels: Vec::new() })
}

/// Numbered parts in the order of their numbers; others in the order of their columns, with their names as labels.
fn in_order<T: Copy>(stem: &str, found: &[(&str, T)]) -> Labelled<T> {
    let mut by_number = vec![None; found.len()];
    for &(name, columns) in found {
        if let Some(place) = number_after(stem, name).and_then(|number| by_number.get_mut(number)) {
            *place = Some(columns);
        }
    }
    match by_number.into_iter().collect() {
        Some(columns) => Labelled { columns, labels: Vec::new() },
        None => Labelled {
            columns: found.iter().map(|&(_, columns)| columns).collect(),
            labels: found.iter().map(|&(name, _)| name.to_owned()).collect(),
        },
    }
}

/// Further sequences, in the order of their first columns.
#[derive(Default)]
struct Others<'h> {
    found: Vec<(&'h str, usize, Found<'h>)>,
    index_of: HashMap<&'h str, usize>,
}

enum Found<'h> {
    Values(Vec<(&'h str, usize)>),
    Poses(Vec<(&'h str, [usize; 7])>),
    Vectors([usize; 3]),
}

impl<'h> Others<'h> {
    #[expect(clippy::indexing_slicing, reason = "each known index is that of an entry")]
    fn entry(&mut self, content: &'h str, column: usize, new: Found<'h>) -> &mut Found<'h> {
        let Self { found, index_of } = self;
        let index = *index_of.entry(content).or_insert_with(|| {
            found.push((content, column, new));
            found.len() - 1
        });
        let (_, first, entry) = &mut found[index];
        *first = column.min(*first);
        entry
    }

    fn value(&mut self, content: &'h str, part: &'h str, column: usize) -> Result<(), Fault> {
        match self.entry(content, column, Found::Values(Vec::new())) {
            Found::Values(parts) => {
                parts.push((part, column));
                Ok(())
            }
            _ => Err(mixed(content, column)),
        }
    }

    fn pose(&mut self, content: &'h str, part: &'h str, pose: [usize; 7]) -> Result<(), Fault> {
        match self.entry(content, pose[0], Found::Poses(Vec::new())) {
            Found::Poses(parts) => {
                parts.push((part, pose));
                Ok(())
            }
            _ => Err(mixed(content, pose[0])),
        }
    }

    fn vector(&mut self, content: &'h str, vector: [usize; 3]) -> Result<(), Fault> {
        let known = self.index_of.contains_key(content);
        self.entry(content, vector[0], Found::Vectors(vector));
        if known { Err(mixed(content, vector[0])) } else { Ok(()) }
    }

    fn finish(mut self) -> Vec<(String, OtherColumns)> {
        self.found.sort_by_key(|&(_, column, _)| column);
        let columns = |found: Found<'_>| match found {
            Found::Values(parts) => OtherColumns::Values(in_order("", &parts)),
            Found::Poses(parts) => OtherColumns::Poses(in_order("", &parts)),
            Found::Vectors(vector) => OtherColumns::Vectors(vector),
        };
        self.found.into_iter().map(|(content, _, found)| (content.to_owned(), columns(found))).collect()
    }
}

fn mixed(content: &str, column: usize) -> Fault {
    let message = format!("the columns of `{content}` are not all values, all poses or one vector");
    Fault::new(column, "same-column", message).help("call one of them something else")
}
