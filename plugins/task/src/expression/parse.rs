use std::ops::Range;

use bunraku_document::closest;

use super::lexer::{Located, Token, split};
use super::{BinaryOperator, Expression, ExpressionError, Function, Node, NodeKind, UnaryOperator};

/// Maximum nesting of parentheses, brackets and signs. Real expressions have fewer than ten levels.
const DEEPEST: usize = 100;

/// Maximum number of operators on one level, so that the tree of `1 + 1 + 1 …` is not too deep for recursion.
const MOST_OPERATORS: usize = 1000;

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// If it does not follow the grammar; with the range of characters.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parse(text)
    }
}

fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let tokens = split(text)?;
    let end = text.chars().count();
    let mut parser = Parser { tokens, next: 0, end, depth: 0, operators: 0, misspelt: None };
    if parser.tokens.is_empty() {
        let error = ExpressionError::new("empty-expression", "the expression is empty", &(0..end));
        return Err(error.help("write a value, such as `0.5` or the name of a parameter"));
    }
    let root = parser.binary(0)?.node;
    match parser.peek() {
        None => Ok(Expression { root, misspelt: parser.misspelt }),
        Some(rest) => {
            let message = format!("expected an operator or the end, found {}", rest.token.describe());
            let help = match rest.token {
                Token::CloseParenthesis => "there is no `(` for it: remove it, or add `(` before",
                Token::CloseBracket => "there is no `[` for it: remove it, or add `[` before",
                Token::Comma => "commas stand only in brackets: `[0, 0, 0]`",
                _ => "is an operator missing, such as `*`?",
            };
            Err(ExpressionError::new("syntax", message, &rest.letters).help(help))
        }
    }
}

/// A node, and its range of characters including surrounding parentheses. An error in a name is reported at its own
/// characters, and an error of a binary operator spans both operands with their parentheses.
struct Parsed {
    node: Node,
    extent: Range<usize>,
}

impl From<Node> for Parsed {
    fn from(node: Node) -> Self {
        Self { extent: node.letters.clone(), node }
    }
}

struct Parser {
    tokens: Vec<Located>,
    next: usize,
    /// Number of characters.
    end: usize,
    depth: usize,
    /// Number of binary operators so far.
    operators: usize,
    misspelt: Option<Range<usize>>,
}

impl Parser {
    fn peek(&self) -> Option<&Located> {
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<Located> {
        let token = self.tokens.get(self.next).cloned();
        self.next += usize::from(token.is_some());
        token
    }

    /// Consumes the next token if it is this one.
    fn accept(&mut self, token: &Token) -> Option<Range<usize>> {
        let found = self.peek().filter(|found| found.token == *token)?;
        let letters = found.letters.clone();
        self.next += 1;
        Some(letters)
    }

    fn expect(&mut self, token: &Token, help: &str) -> Result<Range<usize>, ExpressionError> {
        self.accept(token).ok_or_else(|| self.expected(&token.describe()).help(help))
    }

    /// The error that another token was expected here.
    fn expected(&self, what: &str) -> ExpressionError {
        let (found, letters) = match self.peek() {
            Some(found) => (found.token.describe(), found.letters.clone()),
            None => ("the end".to_owned(), self.end.saturating_sub(1)..self.end),
        };
        ExpressionError::new("syntax", format!("expected {what}, found {found}"), &letters)
    }

    fn too_deep(&self) -> ExpressionError {
        let letters = self.peek().map_or(self.end..self.end, |found| found.letters.clone());
        let error = ExpressionError::new("expression-too-deep", "the expression is too complex", &letters);
        error.help(format!("levels are limited to {DEEPEST}, operators to {MOST_OPERATORS}"))
    }

    /// Parses operators with at least the precedence `least`, from left to right.
    fn binary(&mut self, least: u8) -> Result<Parsed, ExpressionError> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator(least) {
            self.next += 1;
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                return Err(self.too_deep());
            }
            let right = self.binary(operator.precedence() + 1)?;
            let letters = left.extent.start..right.extent.end;
            let kind = NodeKind::Binary(operator, Box::new(left.node), Box::new(right.node));
            left = Node { kind, letters }.into();
        }
        Ok(left)
    }

    fn operator(&self, least: u8) -> Option<BinaryOperator> {
        match self.peek()?.token {
            Token::Operator(operator) if operator.precedence() >= least => Some(operator),
            _ => None,
        }
    }

    fn unary(&mut self) -> Result<Parsed, ExpressionError> {
        let operator = match self.peek().map(|found| &found.token) {
            Some(Token::Operator(BinaryOperator::Add)) => UnaryOperator::Plus,
            Some(Token::Operator(BinaryOperator::Subtract)) => UnaryOperator::Minus,
            Some(Token::Not) => UnaryOperator::Not,
            _ => return self.nested(Self::factor),
        };
        let start = self.take().map_or(0, |found| found.letters.start);
        let operand = self.nested(Self::unary)?;
        let letters = start..operand.extent.end;
        Ok(Node { kind: NodeKind::Unary(operator, Box::new(operand.node)), letters }.into())
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Parsed, ExpressionError>,
    ) -> Result<Parsed, ExpressionError> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        node
    }

    fn factor(&mut self) -> Result<Parsed, ExpressionError> {
        const VALUE: &str = "a value";
        const EXAMPLES: &str = "a value is a number, a name, `[…]` or `(…)`";
        let Some(found) = self.take() else { return Err(self.expected(VALUE).help(EXAMPLES)) };
        let start = found.letters.start;
        match found.token {
            Token::Number(number) => Ok(Node { kind: NodeKind::Number(number), letters: found.letters }.into()),
            Token::OpenParenthesis => {
                let inner = self.binary(0)?;
                let end = self.expect(&Token::CloseParenthesis, "close the parenthesis")?.end;
                Ok(Parsed { extent: start..end, ..inner })
            }
            Token::OpenBracket => self.vector(start).map(Parsed::from),
            Token::Name(name) => match self.accept(&Token::OpenParenthesis) {
                Some(_) => self.call(&name, &found.letters).map(Parsed::from),
                None => Ok(Node { kind: NodeKind::Variable(name), letters: found.letters }.into()),
            },
            _ => {
                self.next -= 1;
                Err(self.expected(VALUE).help(EXAMPLES))
            }
        }
    }

    /// Parses expressions separated by commas.
    fn list(&mut self) -> Result<Vec<Node>, ExpressionError> {
        let mut elements = vec![self.binary(0)?.node];
        while self.accept(&Token::Comma).is_some() {
            elements.push(self.binary(0)?.node);
        }
        Ok(elements)
    }

    fn vector(&mut self, start: usize) -> Result<Node, ExpressionError> {
        let elements = self.list()?;
        let letters = start..self.expect(&Token::CloseBracket, "close the bracket")?.end;
        if !matches!(elements.len(), 3 | 6) {
            let message = format!("a vector has 3 or 6 elements, this one has {}", elements.len());
            let help = "a position is `[x, y, z]`, a pose `[x, y, z, roll, pitch, yaw]`";
            return Err(ExpressionError::new("vector-length", message, &letters).help(help));
        }
        Ok(Node { kind: NodeKind::Vector(elements), letters })
    }

    fn call(&mut self, name: &str, letters: &Range<usize>) -> Result<Node, ExpressionError> {
        let Some(function) = Function::of_name(name) else {
            let help = match closest(name, Function::ALL.map(Function::name)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", Function::ALL.map(Function::name).join(", ")),
            };
            let message = format!("there is no function `{name}`");
            return Err(ExpressionError::new("unknown-function", message, letters).help(help));
        };
        if name == Function::MISSPELT {
            self.misspelt.get_or_insert_with(|| letters.clone());
        }
        let mut arguments = if self.peek().is_some_and(|found| found.token == Token::CloseParenthesis) {
            Vec::new()
        } else {
            self.list()?
        };
        let letters = letters.start..self.expect(&Token::CloseParenthesis, "close the parenthesis")?.end;
        match (arguments.pop(), arguments.len()) {
            (Some(argument), 0) => Ok(Node { kind: NodeKind::Call(function, Box::new(argument)), letters }),
            (last, others) => {
                let count = others + usize::from(last.is_some());
                let message = format!("`{name}` takes one argument, not {count}");
                let help = format!("give it {}", function.argument().as_str());
                Err(ExpressionError::new("wrong-number-of-arguments", message, &letters).help(help))
            }
        }
    }
}
