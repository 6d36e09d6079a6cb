//! Expressions of arguments, conditions and features.
//!
//! Their values are numbers, 3-vectors, 6-vectors (poses: x, y, z in m, roll, pitch, yaw in degrees) and rotation
//! matrices. See `docs/reference/task-format.md` for the grammar.

mod error;
mod evaluate;
mod functions;
mod lexer;
mod operators;
mod parse;
mod syntax;
mod types;
mod value;

pub use error::ExpressionError;
pub use functions::Function;
pub use lexer::number_of_word;
pub use operators::{BinaryOperator, UnaryOperator};
pub use syntax::{Expression, Node, NodeKind};
pub use types::Unknown;
pub use value::{Value, ValueType};
