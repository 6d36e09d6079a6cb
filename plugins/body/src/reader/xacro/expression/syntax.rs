//! Syntax of expressions: a subset of Python's.

use super::lexer::{Token, tokens};
use super::value::Value;

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Constant(Value),
    Name(String),
    List(Vec<Expression>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<[Expression; 2]>),
    /// The first operand, and the comparisons with the next ones: `a < b < c`.
    Compare(Box<Expression>, Vec<(Comparison, Expression)>),
    And(Box<[Expression; 2]>),
    Or(Box<[Expression; 2]>),
    /// Value, condition, other value.
    Choice(Box<[Expression; 3]>),
    Index(Box<[Expression; 2]>),
    Member(Box<Expression>, String),
    /// Function, and its arguments, some of which have names.
    Call(Box<Expression>, Vec<(Option<String>, Expression)>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Minus,
    Plus,
    Not,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

/// Maximum nesting of an expression.
const DEEPEST: usize = 64;

/// Maximum number of tokens of an expression.
const MOST_TOKENS: usize = 300;

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    if tokens.len() > MOST_TOKENS {
        return Err(format!("the expression has more than {MOST_TOKENS} parts"));
    }
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let expression = parser.choice()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(format!("{} is not expected here", shown(token))),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Int(number) => format!("`{number}`"),
        Token::Float(number) => format!("`{number}`"),
        Token::Text(text) => format!("'{text}'"),
        Token::Name(name) => format!("`{name}`"),
        Token::Symbol(symbol) => format!("`{symbol}`"),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

type Parsed = Result<Expression, String>;

impl Parser {
    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Symbol(next)) if *next == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.is_symbol(symbol);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.tokens.get(self.at), Some(Token::Name(next)) if next == word);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) { Ok(()) } else { Err(format!("`{symbol}` is missing")) }
    }

    fn choice(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the expression nests deeper than {DEEPEST} levels"));
        }
        let value = self.or()?;
        let result = if self.take_word("if") {
            let condition = self.or()?;
            if !self.take_word("else") {
                return Err("`else` is missing".to_owned());
            }
            Expression::Choice(Box::new([value, condition, self.choice()?]))
        } else {
            value
        };
        self.depth -= 1;
        Ok(result)
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.take_word("or") {
            left = Expression::Or(Box::new([left, self.and()?]));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.not()?;
        while self.take_word("and") {
            left = Expression::And(Box::new([left, self.not()?]));
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed {
        let mut negations = 0;
        while self.take_word("not") {
            negations += 1;
        }
        let mut operand = self.comparison()?;
        // The truth value of an even number of negations.
        for _ in 0..if negations > 1 { 2 - negations % 2 } else { negations } {
            operand = Expression::Unary(Unary::Not, Box::new(operand));
        }
        Ok(operand)
    }

    fn comparison(&mut self) -> Parsed {
        const SYMBOLS: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let first = self.sum()?;
        let mut others = Vec::new();
        loop {
            let kind = match SYMBOLS.iter().find(|(symbol, _)| self.is_symbol(symbol)) {
                Some((_, kind)) => {
                    self.at += 1;
                    *kind
                }
                None if self.take_word("in") => Comparison::In,
                None if self.take_word("not") => {
                    if !self.take_word("in") {
                        return Err("`in` is missing after `not`".to_owned());
                    }
                    Comparison::NotIn
                }
                None => break,
            };
            others.push((kind, self.sum()?));
        }
        Ok(if others.is_empty() { first } else { Expression::Compare(Box::new(first), others) })
    }

    fn sum(&mut self) -> Parsed {
        self.left_to_right(&[("+", Binary::Add), ("-", Binary::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        const OPERATORS: [(&str, Binary); 4] =
            [("*", Binary::Multiply), ("/", Binary::Divide), ("//", Binary::FloorDivide), ("%", Binary::Remainder)];
        self.left_to_right(&OPERATORS, Self::factor)
    }

    fn left_to_right(&mut self, operators: &[(&str, Binary)], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.is_symbol(symbol)) {
            self.at += 1;
            left = Expression::Binary(*operator, Box::new([left, operand(self)?]));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Parsed {
        let mut signs = Vec::new();
        while self.is_symbol("-") || self.is_symbol("+") {
            signs.push(if self.is_symbol("-") { Unary::Minus } else { Unary::Plus });
            self.at += 1;
        }
        if signs.len() > DEEPEST {
            return Err(format!("there are more than {DEEPEST} signs"));
        }
        let power = self.power()?;
        Ok(signs.into_iter().rev().fold(power, |operand, sign| Expression::Unary(sign, Box::new(operand))))
    }

    fn power(&mut self) -> Parsed {
        let base = self.postfix()?;
        if !self.take("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the expression nests deeper than {DEEPEST} levels"));
        }
        let exponent = self.factor()?;
        self.depth -= 1;
        Ok(Expression::Binary(Binary::Power, Box::new([base, exponent])))
    }

    fn postfix(&mut self) -> Parsed {
        let mut value = self.atom()?;
        let mut length = 0;
        loop {
            value = if self.take(".") {
                match self.tokens.get(self.at) {
                    Some(Token::Name(name)) => {
                        let name = name.clone();
                        self.at += 1;
                        Expression::Member(Box::new(value), name)
                    }
                    _ => return Err("a name is missing after `.`".to_owned()),
                }
            } else if self.take("[") {
                let index = self.choice()?;
                self.expect("]")?;
                Expression::Index(Box::new([value, index]))
            } else if self.take("(") {
                Expression::Call(Box::new(value), self.arguments()?)
            } else {
                return Ok(value);
            };
            length += 1;
            if length > DEEPEST {
                return Err(format!("there are more than {DEEPEST} members, indices and calls"));
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<(Option<String>, Expression)>, String> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            let is_named = matches!(self.tokens.get(self.at + 1), Some(Token::Symbol("=")));
            let name = match self.tokens.get(self.at) {
                Some(Token::Name(name)) if is_named => Some(name.clone()),
                _ => None,
            };
            self.at += if name.is_some() { 2 } else { 0 };
            arguments.push((name, self.choice()?));
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(arguments)
    }

    fn atom(&mut self) -> Parsed {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err("the expression ends too early".to_owned());
        };
        self.at += 1;
        Ok(match token {
            Token::Int(value) => Expression::Constant(Value::Int(value)),
            Token::Float(value) => Expression::Constant(Value::Float(value)),
            Token::Text(text) => Expression::Constant(Value::text(text)),
            Token::Name(name) => match name.as_str() {
                "True" | "true" => Expression::Constant(Value::Bool(true)),
                "False" | "false" => Expression::Constant(Value::Bool(false)),
                "None" => Expression::Constant(Value::None),
                _ => Expression::Name(name),
            },
            Token::Symbol("(") => {
                let first = self.choice()?;
                if self.is_symbol(",") {
                    Expression::List(self.list(")", vec![first])?)
                } else {
                    self.expect(")")?;
                    first
                }
            }
            Token::Symbol("[") => Expression::List(self.list("]", Vec::new())?),
            other => return Err(format!("{} is not expected here", shown(&other))),
        })
    }

    /// The items up to a closing bracket, after those already read.
    fn list(&mut self, end: &str, mut items: Vec<Expression>) -> Result<Vec<Expression>, String> {
        loop {
            if !items.is_empty() && !self.take(",") {
                self.expect(end)?;
                return Ok(items);
            }
            if self.take(end) {
                return Ok(items);
            }
            items.push(self.choice()?);
        }
    }
}
