//! Tables of the rays of a range sensor.

use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile, Span};

/// Maximum number of rays of a table.
const MOST_BEAMS: usize = 1 << 22;

/// Rays of a range sensor over time, repeated without end.
///
/// As a file it is a CSV table with the columns `azimuth` (°), `elevation` (°), `time` (s, ascending) and optionally
/// `ring`. Comments `# period: …` and `# turns_per_scan: …` before it set the other properties.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPattern {
    beams: Vec<PatternBeam>,
    period: f64,
    turns_per_scan: f64,
}

/// A ray of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternBeam {
    /// Angle about the +Y axis of the optical frame, rad; positive is left.
    pub azimuth: f64,
    /// Angle above the XZ plane of the optical frame, rad.
    pub elevation: f64,
    /// Time since the start of the table, s.
    pub time: f64,
    /// Number of the laser, counted upwards.
    pub ring: u16,
}

impl ScanPattern {
    /// A pattern of rays in the order of their times, which repeats after `period` s. The head turns `turns_per_scan`
    /// times during a scan, negative for clockwise seen from above. `None` without rays, or if the times do not ascend
    /// from 0 to less than the period.
    pub fn new(beams: Vec<PatternBeam>, period: f64, turns_per_scan: f64) -> Option<Self> {
        let ascend = beams.windows(2).all(|pair| pair[0].time <= pair[1].time);
        let fit = beams.first().is_some_and(|beam| beam.time >= 0.0) && beams.last()?.time < period;
        let finite = period.is_finite()
            && turns_per_scan.is_finite()
            && beams.iter().all(|beam| beam.azimuth.is_finite() && beam.elevation.is_finite());
        (ascend && fit && finite).then_some(Self { beams, period, turns_per_scan })
    }

    /// Rays in the order of their times.
    pub fn beams(&self) -> &[PatternBeam] {
        &self.beams
    }

    /// Time after which the rays repeat, s.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// Number of turns of the head during a scan.
    pub fn turns_per_scan(&self) -> f64 {
        self.turns_per_scan
    }

    /// Reads a table; `None` after an error.
    pub fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Option<Self> {
        Reader { source, reporter }.read()
    }
}

struct Reader<'s> {
    source: &'s Arc<SourceFile>,
    reporter: &'s Reporter,
}

/// Meanings of the columns.
const COLUMNS: [&str; 4] = ["azimuth", "elevation", "time", "ring"];

impl Reader<'_> {
    fn read(&self) -> Option<ScanPattern> {
        let (mut period, mut turns) = (None, 0.0);
        let mut columns: Option<[Option<usize>; 4]> = None;
        let mut beams = Vec::new();
        for (number, line) in (1..).zip(self.source.text().lines()) {
            let text = line.trim();
            if let Some(comment) = text.strip_prefix('#') {
                let value_of = |key: &str| {
                    let value = comment.trim().strip_prefix(key)?.trim_start().strip_prefix(':')?;
                    value.split_whitespace().next()?.parse::<f64>().ok()
                };
                period = value_of("period").or(period);
                turns = value_of("turns_per_scan").unwrap_or(turns);
                continue;
            }
            if text.is_empty() {
                continue;
            }
            match columns {
                None => columns = Some(self.columns(text, number)?),
                Some(columns) => beams.push(self.beam(text, number, columns)?),
            }
            if beams.len() > MOST_BEAMS {
                self.fail(number, format!("the table has more than {MOST_BEAMS} rays"), "use a shorter table");
                return None;
            }
        }
        let rings = columns.is_some_and(|columns| columns[3].is_some());
        if !rings {
            number_rings(&mut beams);
        }
        let last = beams.last().map_or(0.0, |beam: &PatternBeam| beam.time);
        let gap = last / (beams.len().saturating_sub(1)).max(1) as f64;
        let period = period.unwrap_or(last + if gap > 0.0 { gap } else { 1.0 });
        let pattern = ScanPattern::new(beams, period, turns);
        if pattern.is_none() {
            let message = "the rays of a pattern have times that ascend from 0 to less than its period";
            let help = "sort the rows by time, in seconds, and write `# period: …` before them";
            self.reporter.report(Diagnostic::error("bad-pattern", message).in_file(self.source).help(help));
        }
        pattern
    }

    /// Indices of the columns.
    fn columns(&self, text: &str, line: u32) -> Option<[Option<usize>; 4]> {
        let names: Vec<&str> =
            text.split(',').map(|cell| cell.trim().split([' ', '[']).next().unwrap_or_default()).collect();
        let columns = COLUMNS.map(|name| names.iter().position(|found| *found == name));
        if columns[..3].iter().any(Option::is_none) {
            let message = "a pattern has the columns `azimuth`, `elevation` and `time`";
            self.fail(line, message.to_owned(), "name them in the first line: `azimuth,elevation,time`");
            return None;
        }
        Some(columns)
    }

    fn beam(&self, text: &str, line: u32, columns: [Option<usize>; 4]) -> Option<PatternBeam> {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        let cell = |column: usize| cells.get(columns[column]?).copied();
        let number = |column: usize| cell(column)?.parse::<f64>().ok().filter(|value| value.is_finite());
        let ring = if columns[3].is_some() { cell(3).and_then(|text| text.parse().ok()) } else { Some(0) };
        let beam = (|| {
            let (azimuth, elevation) = (number(0)?.to_radians(), number(1)?.to_radians());
            Some(PatternBeam { azimuth, elevation, time: number(2)?, ring: ring? })
        })();
        if beam.is_none() {
            let message = "this row of a pattern has no azimuth (°), elevation (°), time (s) and ring".to_owned();
            self.fail(line, message, "write numbers, and for a ring one from 0 to 65535");
        }
        beam
    }

    fn fail(&self, line: u32, message: String, help: &str) {
        let span = Span::line(line);
        self.reporter.report(Diagnostic::error("bad-pattern", message).at(self.source, span).help(help));
    }
}

/// Numbers the rays by elevation if there are few different ones; otherwise all are ring 0.
fn number_rings(beams: &mut [PatternBeam]) {
    /// Number of lasers of the largest sensors.
    const MOST_RINGS: usize = 256;
    let mut elevations: Vec<f64> = beams.iter().map(|beam| beam.elevation).collect();
    elevations.sort_by(f64::total_cmp);
    elevations.dedup();
    if elevations.len() > MOST_RINGS {
        return;
    }
    for beam in beams {
        let ring = elevations.partition_point(|elevation| *elevation < beam.elevation);
        beam.ring = u16::try_from(ring).unwrap_or(u16::MAX);
    }
}
