//! The grammar of the manual, production by production, with types and functions.

use bunraku_task::expression::{Expression, Unknown, Value, ValueType};
use bunraku_task::model::{rotation_of_rpy, rpy_of_rotation};
use nalgebra::{Vector3, Vector6};

fn variable(name: &str) -> Result<Value, Unknown> {
    match name {
        "x" => Ok(Value::Scalar(2.0)),
        "info" | "_under.score" | "位置" => Ok(Value::Scalar(5.0)),
        "f" => Ok(Value::Vector6(Vector6::new(0.4, 0.2, 0.8, 10.0, 20.0, 30.0))),
        _ => Err(Unknown { message: format!("no `{name}`"), help: "none".to_owned() }),
    }
}

fn value(text: &str) -> Value {
    Expression::parse(text)
        .and_then(|expression| expression.evaluate(&variable))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn number(text: &str) -> f64 {
    match value(text) {
        Value::Scalar(number) => number,
        other => panic!("{text}: {other:?}"),
    }
}

/// Code and column of the error.
fn error(text: &str) -> (&'static str, usize) {
    let evaluated = Expression::parse(text).and_then(|expression| expression.evaluate(&variable));
    let error = evaluated.expect_err(text);
    (error.code, error.column())
}

#[test]
fn numbers() {
    for (text, expected) in
        [("3", 3.0), ("3.", 3.0), (".5", 0.5), ("1.5e-3", 1.5e-3), ("2E2", 200.0), ("-3", -3.0), ("+3", 3.0)]
    {
        assert_eq!(number(text), expected, "{text}");
    }
    assert_eq!(number("Inf"), f64::INFINITY);
    assert!(number("nan").is_nan());
    assert_eq!(number("info"), 5.0, "a name may begin with `inf`");
}

#[test]
fn names_have_dots_and_letters_of_any_script() {
    assert_eq!(number("_under.score + 位置"), 10.0);
    assert_eq!(error("X"), ("unknown-name", 1));
}

#[test]
fn precedence_from_low_to_high() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 3", 2.0),
        ("2 - -3", 5.0),
        ("2 -3", -1.0),
        ("1 < 2 < 3", 1.0),
        ("3 > 2 > 1", 0.0),
        ("1 + 1 == 2", 1.0),
        ("1 < 2 == 1", 1.0),
        ("0 == 0 && 0", 0.0),
        ("1 || 0 && 0", 1.0),
        ("0 && 0 || 1", 1.0),
        ("-x * -x", 4.0),
        ("!0 + 1", 2.0),
        ("!(x == 2)", 0.0),
        ("1\n+\t1", 2.0),
        ("1 |+ 1", 2.0),
        ("1 == 1 + 5e-8", 1.0),
        ("1 == 1 + 2e-7", 0.0),
        ("1 != 1 + 5e-8", 0.0),
    ] {
        assert_eq!(number(text), expected, "{text}");
    }
    assert_eq!(number("1 / 0"), f64::INFINITY);
}

#[test]
fn vectors_of_three_and_six() {
    assert_eq!(value("[1, x, 3] + [1, 1, 1]"), Value::Vector3(Vector3::new(2.0, 3.0, 4.0)));
    assert_eq!(value("2 * [1, 2, 3] / 4"), Value::Vector3(Vector3::new(0.5, 1.0, 1.5)));
    assert_eq!(value("f + [1,0,0,0,0,-30]"), Value::Vector6(Vector6::new(1.4, 0.2, 0.8, 10.0, 20.0, 0.0)));
    assert_eq!(value("-[1,2,3]"), Value::Vector3(Vector3::new(-1.0, -2.0, -3.0)));
    assert_eq!(error("[1, 2]"), ("vector-length", 1));
    assert_eq!(error("1 + [1, 2, 3, 4]"), ("vector-length", 5));
    assert_eq!(error("[1, f, 3]"), ("wrong-type", 5));
}

#[test]
fn types_match_as_in_the_table() {
    use ValueType::{Rotation, Scalar, Vector3, Vector6};
    const VALUES: [(&str, ValueType); 4] =
        [("x", Scalar), ("xyz(f)", Vector3), ("f", Vector6), ("rotFromRpy(rpy(f))", Rotation)];
    for (left, left_type) in VALUES {
        for (right, right_type) in VALUES {
            for operator in ["+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">=", "&&", "||"] {
                let expected = match (operator, left_type, right_type) {
                    (_, Scalar, Scalar) => Some(Scalar),
                    ("+" | "-", Vector3, Vector3) => Some(Vector3),
                    ("+" | "-", Vector6, Vector6) => Some(Vector6),
                    ("*", Scalar, Vector3) | ("*" | "/", Vector3, Scalar) | ("*", Rotation, Vector3) => Some(Vector3),
                    ("*", Scalar, Vector6) | ("*" | "/", Vector6, Scalar) => Some(Vector6),
                    ("*", Rotation, Rotation) => Some(Rotation),
                    _ => None,
                };
                let text = format!("{left} {operator} {right}");
                let checked = Expression::parse(&text).unwrap().check(&|name| variable(name).map(|value| value.kind()));
                assert_eq!(checked.ok(), expected, "{text}");
            }
        }
    }
}

#[test]
fn functions_take_one_argument_of_their_type() {
    assert_eq!(value("xyz(f)"), Value::Vector3(Vector3::new(0.4, 0.2, 0.8)));
    assert_eq!(value("rpy(f)"), Value::Vector3(Vector3::new(10.0, 20.0, 30.0)));
    let Value::Rotation(turned) = value("rotFromRpy([0, 0, 90])") else { panic!() };
    assert!((turned * Vector3::x() - Vector3::y()).norm() < 1e-12, "yaw turns x to y");
    assert_eq!(value("rotFomrRpy([0, 0, 90])"), Value::Rotation(turned), "as the manual spells it");
    let misspelt = Expression::parse("1 * rotFomrRpy([0,0,0])").unwrap();
    assert_eq!(misspelt.misspelling().unwrap().column(), 5);
    let Value::Vector3(angles) = value("rpyFromRot(rotFromRpy(rpy(f)))") else { panic!() };
    assert!((angles - Vector3::new(10.0, 20.0, 30.0)).norm() < 1e-9);
    assert_eq!(error("xyz(1)"), ("wrong-type", 5));
    assert_eq!(error("xyz(f, f)"), ("wrong-number-of-arguments", 1));
    assert_eq!(error("xyz()"), ("wrong-number-of-arguments", 1));
    assert_eq!(error("x + Xyz(f)"), ("unknown-function", 5));
}

#[test]
fn at_a_pitch_of_90_degrees_the_yaw_is_0() {
    for (pitch, roll, yaw) in [(90.0, 20.0, 0.0), (-90.0, 20.0, 0.0), (90.0, 20.0, 50.0), (-90.0, -35.0, 50.0)] {
        let rotation = rotation_of_rpy(&Vector3::new(roll, pitch, yaw));
        let found = rpy_of_rotation(&rotation);
        assert_eq!(found.z, 0.0);
        assert!((found.y - pitch).abs() < 1e-6);
        assert!((rotation_of_rpy(&found) - rotation).norm() < 1e-9, "{pitch} {roll} {yaw}");
    }
}

#[test]
fn mistakes_have_a_column() {
    for (text, code, column) in [
        ("", "empty-expression", 1),
        ("1 +", "syntax", 3),
        ("1 + * 2", "syntax", 5),
        ("(1 + 2", "syntax", 6),
        ("1 + 2)", "syntax", 6),
        ("2 x", "syntax", 3),
        ("1 = 2", "bad-letter", 3),
        ("a & b", "bad-letter", 3),
        ("[1, 2, 3", "syntax", 8),
        ("rotFromRpy(rpy(f)) - xyz(f)", "wrong-type", 1),
        ("1 < [1, 2, 3]", "wrong-type", 1),
    ] {
        assert_eq!(error(text), (code, column), "{text}");
    }
}
