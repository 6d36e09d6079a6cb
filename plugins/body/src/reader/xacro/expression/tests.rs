use super::*;

/// Variables `a` = 2, `b` = 0.5, `name` = "left", `list` = [1, 2, 3], `robot` = { mass: 3 }.
struct Variables;

impl Context for Variables {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, String> {
        Ok(match name {
            "a" => Some(Value::Int(2)),
            "b" => Some(Value::Float(0.5)),
            "name" => Some(Value::text("left")),
            "list" => Some(Value::List(Rc::new(vec![Value::Int(1), Value::Int(2), Value::Int(3)]))),
            "robot" => Some(Value::Dict(Rc::new(vec![("mass".to_owned(), Value::Int(3))]))),
            _ => None,
        })
    }

    fn names(&self) -> Vec<String> {
        vec!["robot".to_owned()]
    }

    fn yaml(&mut self, file: &str) -> Result<Value, String> {
        Err(format!("there is no {file}"))
    }

    fn argument(&mut self, name: &str) -> Result<String, String> {
        Ok(name.to_uppercase())
    }
}

/// Results of Python 3.
#[test]
fn expressions_have_the_values_of_python() {
    for (expression, expected) in [
        ("1 + 2 * 3", "7"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("2 ** 3 ** 2", "512"),
        ("(7 // 2, -7 // 2, 7 % -3, -7 % 3)", "[3, -4, -2, 2]"),
        ("7 / 2", "3.5"),
        ("6 / 3", "2.0"),
        ("1e-3 * 10", "0.01"),
        ("a * b + 1", "2.0"),
        ("name + '_link' + str(a)", "left_link2"),
        ("'ab' * 3", "ababab"),
        ("1 if name == 'left' else -1", "1"),
        ("1 if name == 'right' else 2 if a > 5 else 3", "3"),
        ("1 < a <= 2 and not b > 1", "True"),
        ("0 or 'x'", "x"),
        ("(2 in list, 'ef' in name, 'mass' in robot, 5 not in list)", "[True, True, True, True]"),
        ("list[-1] + list[0]", "4"),
        ("robot['mass'] + robot.mass", "6"),
        ("sqrt(a * 8)", "4.0"),
        ("math.pi == pi", "True"),
        ("radians(180) == pi", "True"),
        ("(max(1, 2.5, a), min(list), abs(-3))", "[2.5, 1, 3]"),
        ("(round(2.5), round(0.12345, 2), int(-2.7), float('1.5'))", "[2, 0.12, -2, 1.5]"),
        ("len(list) + len(name)", "7"),
        ("sum([0.5, 1])", "1.5"),
        ("name.upper()", "LEFT"),
        ("'a b'.split()", "['a', 'b']"),
        ("dict(x=1, y='z')", "{'x': 1, 'y': 'z'}"),
        ("arg('v')", "V"),
        ("[]", "[]"),
        ("1 == 1.0 == True", "True"),
        ("9223372036854775807 + 1", "9.223372036854776e+18"),
    ] {
        let value = evaluate(expression, &mut Variables);
        assert_eq!(value.unwrap().to_string(), expected, "{expression}");
    }
}

#[test]
fn faults_are_described() {
    for (expression, part) in [
        ("1 +", "ends too early"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("robo.mass", "did you mean `robot`?"),
        ("sqr(2)", "did you mean `sqrt`?"),
        ("sqrt(-1)", "no value"),
        ("(-1) ** 0.5", "not a number"),
        ("'a' + 1", "`+` does not apply to a text and a number"),
        ("list[3]", "no element 3 of 3"),
        ("robot.size", "no `size`"),
        ("1 2", "`2` is not expected"),
        ("(1", "`)` is missing"),
        ("'a", "closing ' is missing"),
        ("a if b", "`else` is missing"),
        ("'a' * 99999999999", "longer"),
        ("open('/etc/passwd')", "no function `open`"),
        ("__import__('os')", "no function"),
        ("name.format(1)", "no function `format`"),
        ("$", "`$` is not expected"),
    ] {
        let fault = evaluate(expression, &mut Variables).unwrap_err();
        assert!(fault.contains(part), "{expression}: {fault}");
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("-", ""), ("not ", ""), ("2**", "")] {
        let deep = format!("{}1{}", open.repeat(5000), close.repeat(5000));
        // Any outcome, but no overflow of the stack.
        let _ = evaluate(&deep, &mut Variables);
    }
}
