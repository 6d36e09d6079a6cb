//! YAML files that expressions load.

use std::path::Path;
use std::rc::Rc;

use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Reporter, SourceFile, Value as Node};

use super::expression::{Context, Value, evaluate};

/// Maximum nesting.
const DEEPEST: usize = 30;

/// Tags of values with a unit, and the unit in rad or m.
const UNITS: [(&str, f64); 6] = [
    ("!radians", 1.0),
    ("!degrees", std::f64::consts::PI / 180.0),
    ("!meters", 1.0),
    ("!millimeters", 0.001),
    ("!foot", 0.3048),
    ("!inches", 0.0254),
];

/// The content of a file. Faults name the file and the line.
pub(super) fn load(path: &Path, limits: &Limits) -> Result<Value, String> {
    let quiet = Reporter::new();
    let source = SourceFile::read(path, limits, &quiet).map_err(|error| error.to_string())?;
    let document = Document::parse(&source, limits, &quiet).map_err(|error| {
        let line = error.position().map_or(1, |position| position.line);
        format!("{}:{line}: {}", path.display(), error.message)
    })?;
    value_of(document.root(), 0)
}

fn value_of(node: Node<'_>, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err(format!("the YAML file nests deeper than {DEEPEST} levels"));
    }
    if let Some(items) = node.items() {
        let items = items.map(|item| value_of(item, depth + 1)).collect::<Result<_, _>>()?;
        return Ok(Value::List(Rc::new(items)));
    }
    if let Some(entries) = node.entries() {
        let entry = |(key, _, node): (&str, _, _)| Ok((key.to_owned(), value_of(node, depth + 1)?));
        return Ok(Value::Dict(Rc::new(entries.map(entry).collect::<Result<_, String>>()?)));
    }
    let text = node.text().unwrap_or_default();
    if let Some(tag) = tag(node) {
        let fault =
            |message: String| format!("{}:{}: {message}", node.source().path().display(), node.span().start.line);
        let Some((_, unit)) = UNITS.iter().find(|(known, _)| *known == tag) else {
            return Err(fault(format!("the unit `{tag}` is not known")));
        };
        let value = evaluate(text, &mut NoContext).map_err(fault)?;
        let number = value.number().ok_or_else(|| fault(format!("`{text}` is not a number")))?;
        return Ok(Value::Float(number * unit));
    }
    Ok(match text {
        "" | "~" | "null" if node.is_plain() => Value::None,
        text if node.is_plain() => Value::literal(text),
        text => Value::text(text),
    })
}

/// The tag in front of a scalar, which the reader of YAML ignores. Tags of YAML itself (`!!str`) do not count.
fn tag(node: Node<'_>) -> Option<String> {
    let start = node.span().start;
    let line = node.source().line(start.line)?;
    let from = line.char_indices().nth(start.column.saturating_sub(1) as usize)?.0;
    let properties = line.get(from..)?.split_whitespace().take_while(|word| word.starts_with(['!', '&']));
    let mut tags = properties.filter(|word| word.starts_with('!') && !word.starts_with("!!"));
    tags.next().map(str::to_owned)
}

/// The context of values with a unit: constants and functions only.
struct NoContext;

impl Context for NoContext {
    fn variable(&mut self, _: &str) -> Result<Option<Value>, String> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn yaml(&mut self, _: &str) -> Result<Value, String> {
        Err("a YAML file loads no other".to_owned())
    }

    fn argument(&mut self, _: &str) -> Result<String, String> {
        Err("a YAML file has no arguments".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_types_and_units() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            load(&path, &Limits::default())
        };
        let text = "a: 1\nb: [ 2.5, 'x', \"3\", true, ~ ]\nc: !degrees 180\nd: &d !degrees 360/2\ne: !millimeters 2\nf: !!str 4\n";
        let expected = "{'a': 1, 'b': [2.5, 'x', '3', True, None], 'c': 3.141592653589793, 'd': 3.141592653589793, 'e': 0.002, 'f': 4}";
        assert_eq!(read(text).unwrap().to_string(), expected);
        for (text, part) in
            [("a: 1\nb: !parsec 1\n", "a.yaml:2: the unit `!parsec`"), ("a: [", "a.yaml:"), ("a: !degrees x\n", "`x`")]
        {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(part), "{fault}");
        }
    }
}
