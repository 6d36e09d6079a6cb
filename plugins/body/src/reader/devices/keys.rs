//! Reading of keys of devices: allowed values, names, directions.
//!
//! A robot loads without its devices, so no finding about them is an error: for invalid values the default is used,
//! with a warning.

use bunraku_document::{Diagnostic, Mapping, Reporter, Result, Value, closest};
use nalgebra::{Unit, Vector3};

use crate::reader::pose::AngleUnit;

/// The keys of one device.
#[derive(Clone, Copy)]
pub(super) struct Keys<'k, 'a, 'r> {
    pub(super) mapping: &'k Mapping<'a, 'r>,
    /// Angle unit of the file.
    pub(super) unit: AngleUnit,
}

/// Spellings of a key, the preferred one first.
pub(super) type Names = &'static [&'static str];

/// Allowed values of a number; angles in radian.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    accepts: fn(f64) -> bool,
    /// Text after "must be".
    rule: &'static str,
}

impl Allowed {
    pub(super) const POSITIVE: Self = Self::new(|number| number > 0.0, "greater than 0");
    pub(super) const NOT_NEGATIVE: Self = Self::new(|number| number >= 0.0, "at least 0");
    pub(super) const SHARE: Self = Self::new(|number| (0.0..=1.0).contains(&number), "from 0 to 1");

    /// Other numbers give a warning and are replaced by the default.
    pub(super) const fn new(accepts: fn(f64) -> bool, rule: &'static str) -> Self {
        Self { accepts, rule }
    }
}

/// A number with its location.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) number: f64,
    pub(super) value: Value<'a>,
}

/// Two values, such as distances, that must be in ascending order.
pub(super) struct Pair {
    pub(super) names: [Names; 2],
    pub(super) allowed: [Allowed; 2],
    pub(super) defaults: [f64; 2],
}

impl<'a, 'r> Keys<'_, 'a, 'r> {
    pub(super) fn reporter(&self) -> &'r Reporter {
        self.mapping.reporter()
    }

    /// The value of an `Ok`; an `Err` is reported as a warning.
    pub(super) fn keep<T>(&self, result: Result<T>) -> Option<T> {
        self.mapping.keep(result)
    }

    /// Reports a finding, as a warning at most.
    pub(super) fn report(&self, diagnostic: Diagnostic) {
        self.reporter().report(diagnostic.into_warning());
    }

    /// Location for a finding about a key: its value, or the device if the key is missing.
    pub(super) fn place(&self, names: Names) -> Value<'a> {
        let node = self.mapping.node();
        names.iter().find_map(|name| node.get(name)).unwrap_or(node)
    }

    /// A number with its location, if given.
    pub(super) fn placed(&self, names: Names, allowed: Allowed) -> Option<Placed<'a>> {
        self.placed_in(names, allowed, |number| number)
    }

    /// An angle in radian with its location, if given.
    pub(super) fn placed_angle(&self, names: Names, allowed: Allowed) -> Option<Placed<'a>> {
        self.placed_in(names, allowed, |number| self.unit.to_radian(number))
    }

    fn placed_in(&self, names: Names, allowed: Allowed, convert: impl Fn(f64) -> f64) -> Option<Placed<'a>> {
        let value = self.mapping.get(names)?;
        let written = self.keep(value.as_number(self.reporter()))?;
        let number = convert(written);
        if (allowed.accepts)(number) {
            return Some(Placed { number, value });
        }
        let name = names.first().copied().unwrap_or_default();
        let message = format!("`{name}` is {written}, but must be {}", allowed.rule);
        let help = format!("it is ignored; write a number {}", allowed.rule);
        self.report(value.warning("out-of-range", message).help(help));
        None
    }

    /// A number.
    pub(super) fn number(&self, names: Names, allowed: Allowed, default: f64) -> f64 {
        self.placed(names, allowed).map_or(default, |placed| placed.number)
    }

    /// An angle in radian.
    pub(super) fn angle(&self, names: Names, allowed: Allowed, default: f64) -> f64 {
        self.placed_angle(names, allowed).map_or(default, |placed| placed.number)
    }

    /// Two numbers of which the first must be less; otherwise both defaults are used.
    pub(super) fn ordered(&self, pair: &Pair) -> [f64; 2] {
        let (first, second) =
            (self.placed(pair.names[0], pair.allowed[0]), self.placed(pair.names[1], pair.allowed[1]));
        let numbers = [first.map_or(pair.defaults[0], |p| p.number), second.map_or(pair.defaults[1], |p| p.number)];
        if numbers[0] >= numbers[1]
            && let Some(placed) = second.or(first)
        {
            let [min, max] = pair.names.map(|names| names.first().copied().unwrap_or_default());
            let message = format!("`{max}`, {}, must be greater than `{min}`, {}", numbers[1], numbers[0]);
            let help = format!("both are ignored; write a larger `{max}` or a smaller `{min}`");
            self.report(placed.value.warning("empty-range", message).help(help));
            return pair.defaults;
        }
        numbers
    }

    /// One of several names; another one is reported and replaced by the default.
    pub(super) fn word<T: Copy>(&self, names: Names, words: &[(&str, T)]) -> Option<T> {
        let value = self.mapping.get(names)?;
        let word = self.keep(value.as_text())?;
        if let Some((_, meaning)) = words.iter().find(|(known, _)| *known == word) {
            return Some(*meaning);
        }
        let name = names.first().copied().unwrap_or_default();
        let diagnostic = value.warning("unknown-word", format!("`{word}` is no `{name}`"));
        let known = words.iter().map(|(word, _)| *word);
        let help = match closest(word, known.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it can be {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.report(diagnostic.help(help));
        None
    }

    /// Limits of a measurement along three axes; `None` is unlimited.
    pub(super) fn limits(&self, names: Names) -> Option<Vector3<f64>> {
        let value = self.mapping.get(names)?;
        let limits = Vector3::from(self.keep(value.as_array::<3>(self.reporter()))?);
        if limits.iter().any(|&limit| limit < 0.0) {
            let name = names.first().copied().unwrap_or_default();
            let message = format!("`{name}` is negative, which no limit can be: it is read as unlimited");
            let help = "write limits of 0 or more, or leave the key out";
            self.report(value.warning("out-of-range", message).help(help));
            return None;
        }
        Some(limits)
    }

    /// Red, green and blue, clamped to 0…1 with a warning.
    pub(super) fn color(&self, default: Vector3<f64>) -> Vector3<f64> {
        let read = || {
            let value = self.mapping.get(&["color"])?;
            let color = Vector3::from(self.keep(value.as_array::<3>(self.reporter()))?);
            let cut = color.map(|part| part.clamp(0.0, 1.0));
            if cut != color {
                let message = "the parts of a colour must be from 0 to 1: values beyond are clamped";
                self.report(value.warning("out-of-range", message).help("write red, green and blue from 0 to 1"));
            }
            Some(cut)
        };
        read().unwrap_or(default)
    }

    /// A direction of any nonzero length.
    pub(super) fn direction(&self, names: Names, default: Unit<Vector3<f64>>) -> Unit<Vector3<f64>> {
        /// Minimum length, as for rotation axes.
        const SHORTEST: f64 = 1e-6;
        let read = self.mapping.read(names, |value, reporter| {
            let vector = Vector3::from(value.as_array::<3>(reporter)?);
            bunraku_mesh::unit_vector(vector, SHORTEST).ok_or_else(|| {
                let diagnostic = value.warning("zero-axis", "a direction cannot be zero");
                Box::new(diagnostic.help("write a vector that points somewhere, such as `[ 1, 0, 0 ]`"))
            })
        });
        read.unwrap_or(default)
    }
}
