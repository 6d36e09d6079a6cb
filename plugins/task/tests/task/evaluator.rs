//! Random expressions, compared with an independent evaluator written from the grammar alone. It evaluates while it
//! parses, on lists of numbers.

use bunraku_task::expression::{Expression, Unknown, Value};
use bunraku_test_support::Random;
use nalgebra::{Matrix3, Vector3, Vector6};

/// Numbers row by row; the length determines the type: 1, 3, 6 or 9.
type Numbers = Vec<f64>;

/// Parses and evaluates at once. `None` for invalid expressions.
struct Plain<'a> {
    rest: &'a str,
}

impl Plain<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn level(&mut self, level: usize) -> Option<Numbers> {
        const LEVELS: [&[&str]; 6] =
            [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];
        let Some(operators) = LEVELS.get(level) else { return self.factor() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.level(level + 1)?;
            left = apply(operator, &left, &right)?;
        }
        Some(left)
    }

    fn factor(&mut self) -> Option<Numbers> {
        if self.eat("(") {
            let value = self.level(0)?;
            return self.eat(")").then_some(value);
        }
        if self.eat("[") {
            let mut elements = Vec::new();
            loop {
                let element = self.level(0)?;
                elements.push(*element.first().filter(|_| element.len() == 1)?);
                if !self.eat(",") {
                    break;
                }
            }
            return (self.eat("]") && matches!(elements.len(), 3 | 6)).then_some(elements);
        }
        if self.eat("-") {
            let value = self.factor()?;
            return (value.len() != 9).then(|| value.iter().map(|number| -number).collect());
        }
        for function in ["xyz", "rpyFromRot", "rpy", "rotFromRpy"] {
            if self.eat(&format!("{function}(")) {
                let argument = self.level(0)?;
                return if self.eat(")") { call(function, &argument) } else { None };
            }
        }
        for (name, value) in variables() {
            if self.eat(name) {
                return Some(value);
            }
        }
        let end = self.rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(vec![number.parse().ok()?])
    }
}

fn variables() -> [(&'static str, Numbers); 3] {
    [("s_1", vec![0.75]), ("v.a", vec![1.0, -2.0, 0.5]), ("frame", vec![0.4, 0.2, 0.872, 10.0, -35.0, 120.0])]
}

fn apply(operator: &str, left: &[f64], right: &[f64]) -> Option<Numbers> {
    let each = |operate: &dyn Fn(f64, f64) -> f64| -> Numbers {
        left.iter().zip(right).map(|(left, right)| operate(*left, *right)).collect()
    };
    let truth = |holds: bool| Some(vec![if holds { 1.0 } else { 0.0 }]);
    match (operator, left.len(), right.len()) {
        ("+", 1 | 3 | 6, length) if length == left.len() => Some(each(&|left, right| left + right)),
        ("-", 1 | 3 | 6, length) if length == left.len() => Some(each(&|left, right| left - right)),
        ("*", 1, 1 | 3 | 6) => Some(right.iter().map(|number| left[0] * number).collect()),
        ("*", 3 | 6, 1) => Some(left.iter().map(|number| number * right[0]).collect()),
        ("*", 9, 3 | 9) => {
            let columns = right.len() / 3;
            let entry = |index: usize| {
                let (row, column) = (index / columns, index % columns);
                (0..3).map(|inner| left[3 * row + inner] * right[columns * inner + column]).sum()
            };
            Some((0..right.len()).map(entry).collect())
        }
        ("/", 1 | 3 | 6, 1) => Some(left.iter().map(|number| number / right[0]).collect()),
        ("==", 1, 1) => truth(left[0] == right[0] || (left[0] - right[0]).abs() < 1e-7),
        ("!=", 1, 1) => truth(!(left[0] == right[0] || (left[0] - right[0]).abs() < 1e-7)),
        ("<", 1, 1) => truth(left[0] < right[0]),
        (">", 1, 1) => truth(left[0] > right[0]),
        ("<=", 1, 1) => truth(left[0] <= right[0]),
        (">=", 1, 1) => truth(left[0] >= right[0]),
        ("&&", 1, 1) => truth(left[0] != 0.0 && right[0] != 0.0),
        ("||", 1, 1) => truth(left[0] != 0.0 || right[0] != 0.0),
        _ => None,
    }
}

fn call(function: &str, argument: &[f64]) -> Option<Numbers> {
    match (function, argument.len()) {
        ("xyz", 6) => Some(argument[..3].to_vec()),
        ("rpy", 6) => Some(argument[3..].to_vec()),
        ("rotFromRpy", 3) => {
            let [(sr, cr), (sp, cp), (sy, cy)] =
                [argument[0], argument[1], argument[2]].map(|degrees| degrees.to_radians().sin_cos());
            Some(vec![
                cy * cp,
                cy * sp * sr - sy * cr,
                cy * sp * cr + sy * sr,
                sy * cp,
                sy * sp * sr + cy * cr,
                sy * sp * cr - cy * sr,
                -sp,
                cp * sr,
                cp * cr,
            ])
        }
        ("rpyFromRot", 9) => {
            let m = |row: usize, column: usize| argument[3 * row + column];
            let pitch = (-m(2, 0)).atan2(m(0, 0).hypot(m(1, 0)));
            let (roll, yaw) = if (m(2, 0).abs() - 1.0).abs() <= 1e-6 {
                let sign = -m(2, 0).signum();
                (sign * m(0, 1).atan2(m(1, 1)), 0.0)
            } else {
                (m(2, 1).atan2(m(2, 2)), m(1, 0).atan2(m(0, 0)))
            };
            Some([roll, pitch, yaw].map(f64::to_degrees).to_vec())
        }
        _ => None,
    }
}

/// A random expression; some have wrong types.
fn write_expression(random: &mut Random, depth: usize, out: &mut String) {
    const OPERATORS: [&str; 16] =
        ["+", "-", "*", "*", "*", "/", "+", "-", "<", ">", "<=", ">=", "==", "!=", "&&", "||"];
    const FUNCTIONS: [&str; 4] = ["xyz", "rpy", "rotFromRpy", "rpyFromRot"];
    match if depth == 0 { random.below(3) } else { random.below(9) } {
        0 => out.push_str(["1", "0.5", "3.", ".25", "0", "17"][random.below(6)]),
        1 => out.push_str(variables()[random.below(3)].0),
        2 => out.push_str(["frame", "xyz(frame)", "rotFromRpy(rpy(frame))", "[1,2,3]"][random.below(4)]),
        3 => {
            out.push('(');
            write_expression(random, depth - 1, out);
            out.push(')');
        }
        4 => {
            out.push_str(FUNCTIONS[random.below(4)]);
            out.push('(');
            write_expression(random, depth - 1, out);
            out.push(')');
        }
        5 => {
            out.push('[');
            for index in 0..[3, 3, 6, 2][random.below(4)] {
                out.push_str(if index > 0 { ", " } else { "" });
                let depth = depth.min(1) - usize::from(depth > 1 && random.below(3) > 0);
                write_expression(random, depth, out);
            }
            out.push(']');
        }
        6 => {
            out.push('-');
            out.push('(');
            write_expression(random, depth - 1, out);
            out.push(')');
        }
        _ => {
            write_expression(random, depth - 1, out);
            out.push_str(["", " ", "\n"][random.below(3)]);
            out.push_str(OPERATORS[random.below(16)]);
            out.push(' ');
            write_expression(random, depth - 1, out);
        }
    }
}

fn ours(text: &str) -> Option<Numbers> {
    let expression = Expression::parse(text).ok()?;
    let value_of = |name: &str| -> Result<Value, Unknown> {
        let value = variables().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let unknown = || Unknown { message: String::new(), help: String::new() };
        let value = value.ok_or_else(unknown)?;
        Ok(match value.len() {
            1 => Value::Scalar(value[0]),
            3 => Value::Vector3(Vector3::from_column_slice(&value)),
            _ => Value::Vector6(Vector6::from_column_slice(&value)),
        })
    };
    let checked = expression.check(&|name| value_of(name).map(|value| value.kind()));
    let value = expression.evaluate(&value_of);
    assert_eq!(checked.clone().ok(), value.as_ref().ok().map(Value::kind), "{text}");
    assert_eq!(checked.err(), value.clone().err(), "the check says what the evaluation says: {text}");
    Some(match value.ok()? {
        Value::Scalar(number) => vec![number],
        Value::Vector3(vector) => vector.iter().copied().collect(),
        Value::Vector6(vector) => vector.iter().copied().collect(),
        Value::Rotation(matrix) => Matrix3::transpose(&matrix).iter().copied().collect(),
    })
}

fn plain(text: &str) -> Option<Numbers> {
    let mut reader = Plain { rest: text };
    let value = reader.level(0)?;
    reader.rest.trim().is_empty().then_some(value)
}

#[test]
fn random_expressions_agree_with_an_independent_evaluator() {
    let mut random = Random::new(1);
    let (mut fine, mut wrong) = (0, 0);
    for _ in 0..20_000 {
        let mut text = String::new();
        let depth = 1 + random.below(4);
        write_expression(&mut random, depth, &mut text);
        match (ours(&text), plain(&text)) {
            (None, None) => wrong += 1,
            (Some(ours), Some(plain)) => {
                fine += 1;
                assert_eq!(ours.len(), plain.len(), "{text}");
                for (ours, plain) in ours.iter().zip(&plain) {
                    let near = (ours - plain).abs() <= 1e-9 * plain.abs().max(1.0);
                    assert!(near || ours == plain || (ours.is_nan() && plain.is_nan()), "{text}: {ours} {plain}");
                }
            }
            (ours, plain) => panic!("{text}: {ours:?}, {plain:?}"),
        }
    }
    assert!(fine > 5_000 && wrong > 1_000, "{fine} fine, {wrong} wrong");
}

/// A text of random characters gives a value or an error, and no panic.
#[test]
fn garbage_is_refused_with_a_location() {
    const LETTERS: &[&str] = &[
        "(", ")", "[", "]", ",", "+", "-", "*", "/", "<", "=", "!", "&", "|", "x", "xyz(", "1", ".", "e", "é",
        "\u{3000}", "\"", "inf", "nan",
    ];
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let text: String = (0..random.below(12)).map(|_| LETTERS[random.below(LETTERS.len())]).collect();
        if let Err(error) = Expression::parse(&text) {
            assert!(error.letters.start <= error.letters.end, "{text}");
            assert!(error.letters.end <= text.chars().count(), "{text}: {error:?}");
            assert!(!error.help.is_empty(), "{text}: {error:?}");
        }
    }
    for text in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(9_000) + "1", "[".repeat(5000)] {
        assert!(Expression::parse(&text).is_err());
    }
}
