//! Parameters of macros, as `params` lists them.

use std::rc::Rc;

use super::tree::Element;

/// A macro.
pub(super) struct Macro {
    /// Its definition.
    pub(super) element: Rc<Element>,
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Kind of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// An attribute.
    Value {
        /// Whether a property of this name around the call is taken if the attribute is absent.
        inherits: bool,
        default: Option<String>,
    },
    /// `*name`: an element.
    Element,
    /// `**name`: what is inside an element.
    Content,
}

/// Reads a list such as `name mass:=1.0 parent:=^|world *origin **rest`.
pub(super) fn parameters(text: &str) -> Result<Vec<Parameter>, String> {
    let mut found: Vec<Parameter> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let stars = rest.len() - rest.trim_start_matches('*').len();
        rest = &rest[stars..];
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() || stars > 2 {
            return Err(format!("`params` is not understood at `{}`", rest.chars().take(20).collect::<String>()));
        }
        let kind = match stars {
            1 => Kind::Element,
            2 => Kind::Content,
            _ => Kind::Value { inherits: false, default: None },
        };
        let assigned = after.strip_prefix(":=").or_else(|| after.strip_prefix('='));
        let (kind, after) = match (kind, assigned) {
            (Kind::Value { .. }, Some(value)) => {
                let inherits = value.starts_with('^');
                let value = value.strip_prefix("^|").or_else(|| value.strip_prefix('^')).unwrap_or(value);
                let has_default = !(inherits && (value.is_empty() || value.starts_with(char::is_whitespace)));
                let (default, after) = default(value)?;
                (Kind::Value { inherits, default: has_default.then_some(default) }, after)
            }
            (_, Some(_)) => return Err(format!("the block `{name}` cannot have a default")),
            (kind, None) => (kind, after),
        };
        if found.iter().any(|parameter| parameter.name == name) {
            return Err(format!("the parameter `{name}` is listed twice"));
        }
        if !(after.is_empty() || after.starts_with(char::is_whitespace)) {
            return Err(format!("`params` is not understood behind `{name}`"));
        }
        found.push(Parameter { name: name.to_owned(), kind });
        rest = after.trim_start();
    }
    Ok(found)
}

/// A default value, and the text behind it. Quotes and `${…}` may contain spaces.
fn default(text: &str) -> Result<(String, &str), String> {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) {
        let inner = &text[1..];
        let end = inner.find(quote).ok_or_else(|| format!("a closing {quote} is missing in `params`"))?;
        return Ok((inner[..end].to_owned(), &inner[end + 1..]));
    }
    let mut depth = 0_usize;
    let end = text.find(|letter: char| {
        match letter {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && letter.is_whitespace()
    });
    let (value, after) = text.split_at(end.unwrap_or(text.len()));
    Ok((value.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_defaults_and_blocks() {
        let value = |inherits, default: Option<&str>| Kind::Value { inherits, default: default.map(str::to_owned) };
        let found = parameters("a b:=1.5 c=${x + 1} d:='0 0 1' e:=^ f:=^|2 *g **h i:=''\n j:=^|${p}").unwrap();
        let expected = [
            ("a", value(false, None)),
            ("b", value(false, Some("1.5"))),
            ("c", value(false, Some("${x + 1}"))),
            ("d", value(false, Some("0 0 1"))),
            ("e", value(true, None)),
            ("f", value(true, Some("2"))),
            ("g", Kind::Element),
            ("h", Kind::Content),
            ("i", value(false, Some(""))),
            ("j", value(true, Some("${p}"))),
        ];
        assert_eq!(found, expected.map(|(name, kind)| Parameter { name: name.to_owned(), kind }));
        for fault in ["***a", "a:='x", "*a:=1", "a a", ":=1", "a,b"] {
            assert!(parameters(fault).is_err(), "{fault}");
        }
    }
}
