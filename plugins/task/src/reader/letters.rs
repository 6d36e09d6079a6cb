use std::ops::Range;

use bunraku_document::{Position, Span};

use crate::model::ExpressionText;

/// Location of characters of an expression in its file. Long expressions are folded in quotes, with line ends that are
/// not part of them. `None` if the text cannot be matched, as in block scalars with escapes.
pub fn span_of_letters(expression: &ExpressionText, letters: &Range<usize>) -> Option<Span> {
    let place = expression.origin.0.as_ref()?;
    let start = place.span?.start;
    let mut walk = Walk { line: place.source.line(start.line)?.chars().collect(), position: start };
    let quoted = walk.peek().filter(|letter| matches!(letter, '"' | '\''));
    if quoted.is_some() {
        walk.position.column += 1;
    }
    let next_line = |number: u32| place.source.line(number).map(|line| line.chars().collect::<Vec<char>>());
    let (mut first, mut last) = (None, None);
    for (index, letter) in expression.text.chars().enumerate() {
        let position = walk.find(letter, quoted == Some('"'), &next_line)?;
        if index == letters.start {
            first = Some(position);
        }
        if index < letters.end {
            last = Some(position);
        }
    }
    let behind = |position: Position| Position { column: position.column + 1, ..position };
    let end = behind(last?);
    let first = first.unwrap_or(end);
    // A range beyond the end of the line is marked up to it.
    let end = if end.line == first.line { end } else { Position { line: first.line, column: u32::MAX } };
    Some(Span { start: first, end })
}

struct Walk {
    line: Vec<char>,
    position: Position,
}

impl Walk {
    fn peek(&self) -> Option<char> {
        self.line.get(self.position.column.checked_sub(1)? as usize).copied()
    }

    /// Position of the next character, across folds and escapes.
    fn find(&mut self, letter: char, escapes: bool, next_line: &dyn Fn(u32) -> Option<Vec<char>>) -> Option<Position> {
        // A fold takes a step for the backslash and one for the end of the line; blank lines are not supported.
        for _ in 0..4 {
            match self.peek() {
                Some('\\') if escapes && self.position.column as usize >= self.line.len() => {
                    self.next_line(next_line)?;
                    continue;
                }
                Some('\\') if escapes => {
                    self.position.column += 1;
                    continue;
                }
                None => {
                    let position = self.position;
                    self.next_line(next_line)?;
                    // The end of a line represents a space.
                    if letter.is_whitespace() {
                        return Some(position);
                    }
                    continue;
                }
                Some(found) if found == letter => {
                    let position = self.position;
                    self.position.column += 1;
                    return Some(position);
                }
                Some(_) => return None,
            }
        }
        None
    }

    fn next_line(&mut self, next_line: &dyn Fn(u32) -> Option<Vec<char>>) -> Option<()> {
        self.position.line += 1;
        self.line = next_line(self.position.line)?;
        let indentation = self.line.iter().take_while(|letter| letter.is_whitespace()).count();
        self.position.column = u32::try_from(indentation).ok()?.saturating_add(1);
        Some(())
    }
}
