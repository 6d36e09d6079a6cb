//! The values of `--vary`, in the program's own form or as Hydra's sweeps.

use bunraku::document::closest;
use bunraku::sensors::{Random, seed_of};

/// Values of one option and of all its combinations are limited to this number.
pub const MOST: usize = 1_000_000;

/// A value of a scene that differs between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// The argument.
    pub text: String,
    /// Where it is in the scene, as in `--set`.
    pub path: String,
    pub values: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Each combination has one of these YAML texts.
    Grid(Vec<String>),
    /// Each seed has a number of this distribution.
    Drawn(Distribution),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    Normal {
        mean: f64,
        deviation: f64,
    },
    /// From `low` to `high`, `high` excluded.
    Uniform {
        low: f64,
        high: f64,
    },
}

impl Distribution {
    /// The number of a seed. Values at different paths are independent; the same seed has the same number in every
    /// combination and on every machine.
    pub fn draw(self, seed: u64, path: &str) -> f64 {
        let mut random = Random::of_sample(seed_of(seed, path, "vary"), 0);
        match self {
            Self::Normal { mean, deviation } => mean + deviation * random.normal(),
            Self::Uniform { low, high } => low + (high - low) * random.uniform(),
        }
    }
}

impl Vary {
    /// Reads `PATH=VALUES`.
    ///
    /// # Errors
    /// If it has another form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (path, values) = text.split_once('=').ok_or("there is no `=`: write `--vary PATH=VALUES`")?;
        let (path, values) = (path.trim(), values.trim());
        if path.is_empty() || values.is_empty() {
            return Err("write `--vary PATH=VALUES`".to_owned());
        }
        let values = match call(values) {
            Some((function, arguments)) => called(function, &arguments)?,
            None => Values::Grid(match (parts(values).len(), spaced(values)?) {
                (1, Some(numbers)) => numbers,
                _ => listed(&parts(values))?,
            }),
        };
        Ok(Self { text: text.to_owned(), path: path.to_owned(), values })
    }

    /// Number of values in the grid of combinations.
    pub fn grid_len(&self) -> usize {
        match &self.values {
            Values::Grid(values) => values.len(),
            Values::Drawn(_) => 1,
        }
    }
}

/// Name and arguments of `name(arguments)`.
fn call(text: &str) -> Option<(&str, Vec<String>)> {
    let (name, rest) = text.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let arguments = rest.strip_suffix(')')?;
    is_name.then(|| (name, parts(arguments)))
}

/// The texts between commas that are in no bracket and no quotes.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    for letter in text.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth -= 1,
            _ => {}
        }
        match (letter == ',' && depth == 0 && quote.is_none(), parts.last_mut()) {
            (false, Some(part)) => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

fn listed(parts: &[String]) -> Result<Vec<String>, String> {
    match parts.iter().any(String::is_empty) {
        true => Err("a value between commas is empty".to_owned()),
        false => Ok(parts.to_vec()),
    }
}

/// The numbers of `FROM:TO:COUNT`, both ends included; `None` if the text is not of that form.
fn spaced(text: &str) -> Result<Option<Vec<String>>, String> {
    let [from, to, count] = text.split(':').collect::<Vec<_>>()[..] else { return Ok(None) };
    let (Ok(from), Ok(to)) = (number(from), number(to)) else { return Ok(None) };
    let count = count.trim().parse().ok().filter(|count| (2..=MOST).contains(count));
    let Some(count) = count else {
        return Err(format!("`{text}` is FROM:TO:COUNT, and the count is from 2 to {MOST}"));
    };
    #[allow(clippy::cast_precision_loss)]
    let value = |index: usize| {
        // Weights of both ends: 0:1:11 has 0.3 and not 0.30000000000000004.
        let last = (count - 1) as f64;
        (from * (last - index as f64) + to * index as f64) / last
    };
    Ok(Some((0..count).map(|index| value(index).to_string()).collect()))
}

fn called(function: &str, arguments: &[String]) -> Result<Values, String> {
    let numbers = |names: &[&str]| keyed(function, arguments, names);
    match function {
        "choice" => Ok(Values::Grid(listed(arguments)?)),
        "range" => range(arguments),
        "normal" => match numbers(&["mean", "deviation"])?[..] {
            [Some(mean), Some(deviation)] if deviation >= 0.0 => {
                Ok(Values::Drawn(Distribution::Normal { mean, deviation }))
            }
            _ => Err("write `normal(MEAN,DEVIATION)`, with a deviation of at least 0".to_owned()),
        },
        // Hydra's name of a uniform distribution.
        "uniform" | "interval" => match numbers(&["start", "end"])?[..] {
            [Some(low), Some(high)] if low < high => Ok(Values::Drawn(Distribution::Uniform { low, high })),
            _ => Err(format!("write `{function}(LOW,HIGH)`, with the lower number first")),
        },
        _ => {
            let known = ["choice", "range", "interval", "normal", "uniform"];
            Err(match closest(function, known) {
                Some(meant) => format!("there is no `{function}()`: did you mean `{meant}()`?"),
                None => format!("there is no `{function}()` here: there are {}", known.join(", ")),
            })
        }
    }
}

/// `range(STOP)`, `range(START,STOP)` or `range(START,STOP,STEP)`; the stop is excluded, as in Hydra and Python.
fn range(arguments: &[String]) -> Result<Values, String> {
    let given = keyed("range", arguments, &["start", "stop", "step"])?;
    let (start, stop) = match given[..] {
        // A single number is the stop.
        [Some(stop), None, _] => (0.0, stop),
        [start, Some(stop), _] => (start.unwrap_or(0.0), stop),
        _ => return Err("write `range(START,STOP,STEP)`".to_owned()),
    };
    let step = given.get(2).copied().flatten().unwrap_or(1.0);
    // So that rounding does not add the stop to `range(0,0.3,0.1)`.
    const SLACK: f64 = 1e-9;
    let count = ((stop - start) / step - SLACK).ceil();
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    match count >= 1.0 && count <= MOST as f64 {
        true => {
            let value = |index: usize| start + step * index as f64;
            Ok(Values::Grid((0..count as usize).map(|index| value(index).to_string()).collect()))
        }
        false => Err(format!("a range has from 1 to {MOST} values, and the stop is not one of them")),
    }
}

/// Numbers by position or as `name=value`, in the order of `names`.
fn keyed(function: &str, arguments: &[String], names: &[&str]) -> Result<Vec<Option<f64>>, String> {
    let mut found = vec![None; names.len()];
    for (index, argument) in arguments.iter().enumerate() {
        let (slot, value) = match argument.split_once('=') {
            Some((name, value)) => (names.iter().position(|known| *known == name.trim()), value),
            None => (Some(index), argument.as_str()),
        };
        let slot = slot.and_then(|slot| found.get_mut(slot));
        *slot.ok_or_else(|| format!("`{function}` takes {}, and not `{argument}`", names.join(", ")))? =
            Some(number(value)?);
    }
    Ok(found)
}

fn number(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> Vec<String> {
        match Vary::parse(&format!("a.b={text}")).unwrap().values {
            Values::Grid(values) => values,
            Values::Drawn(drawn) => panic!("{drawn:?}"),
        }
    }

    fn drawn(text: &str) -> Distribution {
        match Vary::parse(&format!("a.b={text}")).unwrap().values {
            Values::Drawn(drawn) => drawn,
            Values::Grid(values) => panic!("{values:?}"),
        }
    }

    #[test]
    fn grids_have_all_their_values() {
        assert_eq!(grid("0:1:11")[3..5], ["0.3", "0.4"]);
        assert_eq!(grid("1:-1:3"), ["1", "0", "-1"]);
        assert_eq!(grid("pd,servo"), ["pd", "servo"]);
        assert_eq!(grid("[0, 1], { a: 2, b: 3 },'x,y'"), ["[0, 1]", "{ a: 2, b: 3 }", "'x,y'"]);
        assert_eq!(grid("12:30"), ["12:30"]);
        assert_eq!(grid("a:b:3"), ["a:b:3"]);
    }

    /// The examples of Hydra's manual of its extended override syntax, as far as they are values of scenes.
    #[test]
    fn hydra_sweeps_are_read() {
        assert_eq!(grid("choice(a,b,c)"), ["a", "b", "c"]);
        assert_eq!(grid("range(1,5)"), ["1", "2", "3", "4"]);
        assert_eq!(grid("range(start=1,stop=10,step=3)"), ["1", "4", "7"]);
        assert_eq!(grid("range(3)"), ["0", "1", "2"]);
        assert_eq!(grid("range(0,-3,-1)"), ["0", "-1", "-2"]);
        assert_eq!(grid("range(0,0.3,0.1)").len(), 3);
        assert_eq!(drawn("interval(0,2)"), Distribution::Uniform { low: 0.0, high: 2.0 });
        assert_eq!(drawn("normal(1, 0.5)"), Distribution::Normal { mean: 1.0, deviation: 0.5 });
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| Vary::parse(text).unwrap_err();
        assert!(error("a").contains("no `=`"));
        assert!(error("a=1,,2").contains("empty"));
        assert!(error("a=0:1:1").contains("count"));
        assert!(error("a=chioce(1,2)").contains("did you mean `choice()`"));
        assert!(error("a=glob(*)").contains("there are choice"));
        assert!(error("a=normal(1,-1)").contains("at least 0"));
        assert!(error("a=uniform(2,1)").contains("lower number first"));
        assert!(error("a=range(5,1)").contains("from 1 to"));
        assert!(error("a=range(1,2,stride=3)").contains("takes start, stop, step"));
        assert!(error("a=uniform(0,x)").contains("`x` is not a number"));
    }

    #[test]
    fn draws_depend_on_seed_and_path_alone() {
        let uniform = Distribution::Uniform { low: 10.0, high: 20.0 };
        assert_eq!(uniform.draw(3, "a").to_bits(), uniform.draw(3, "a").to_bits());
        assert_ne!(uniform.draw(3, "a").to_bits(), uniform.draw(4, "a").to_bits());
        assert_ne!(uniform.draw(3, "a").to_bits(), uniform.draw(3, "b").to_bits());
        let normal = Distribution::Normal { mean: 5.0, deviation: 2.0 };
        let draws: Vec<f64> = (0..10_000).map(|seed| normal.draw(seed, "a")).collect();
        let mean = draws.iter().sum::<f64>() / 1e4;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 1e4;
        // Five standard errors of both.
        assert!((mean - 5.0).abs() < 0.1 && (variance.sqrt() - 2.0).abs() < 0.075, "{mean} {variance}");
        assert!((0..1000).all(|seed| (10.0..20.0).contains(&uniform.draw(seed, "a"))));
    }
}
