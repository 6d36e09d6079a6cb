//! Errors in expressions, located at the characters in the file.

use bunraku_document::{Diagnostic, Reporter};

use crate::expression::{Expression, ExpressionError};
use crate::model::ExpressionText;
use crate::reader::span_of_letters;

/// An error in an expression of a file, located at its characters; `what` names the owner of the expression.
pub(crate) fn located(error: &ExpressionError, text: &ExpressionText, what: &str) -> Diagnostic {
    let message = format!("{what}, column {}: {}", error.column(), error.message);
    let origin =
        span_of_letters(text, &error.letters).map_or_else(|| text.origin.clone(), |span| text.origin.narrowed(span));
    origin.error(error.code, message).help(error.help.clone())
}

/// Parses the expression and reports errors.
pub(super) fn parsed(text: &ExpressionText, what: &str, reporter: &Reporter) -> Option<Expression> {
    match Expression::parse(&text.text) {
        Ok(expression) => {
            if let Some(misspelling) = expression.misspelling() {
                reporter.report(located(&misspelling, text, what).into_warning());
            }
            Some(expression)
        }
        Err(error) => {
            reporter.report(located(&error, text, what));
            None
        }
    }
}
