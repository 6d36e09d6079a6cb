//! Expressions of tasks.

use bunraku_task::expression::Expression;

use super::edge;

/// Whether an expression is read. If not, the error has this code.
fn is_read(text: &str, code: &str) -> bool {
    match Expression::parse(text) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, code);
            false
        }
    }
}

#[test]
fn expressions_nest_up_to_their_limit() {
    let accepts =
        |depth: usize| is_read(&format!("{}1{}", "(".repeat(depth), ")".repeat(depth)), "expression-too-deep");
    // The expression itself is the first level.
    assert_eq!(edge(200, accepts) + 1, 100);
}

#[test]
fn expressions_have_operators_up_to_their_limit() {
    let accepts = |operators: usize| is_read(&format!("1{}", "+1".repeat(operators)), "expression-too-deep");
    assert_eq!(edge(2000, accepts), 1000);
}

#[test]
fn expressions_have_words_up_to_their_limit() {
    // Numbers and the signs around them: two words for each, and a bracket. A sign before one is another word. Vectors have
    // fewer components, which is found after the words are counted.
    let accepts = |numbers: usize, sign: &str| {
        let text = format!("[{sign}1{}]", ",1".repeat(numbers - 1));
        Expression::parse(&text).is_err_and(|error| error.code != "expression-too-long")
    };
    assert_eq!(edge(20_000, |numbers| accepts(numbers, "")), 9999);
    assert!(accepts(9999, "-"));
}
