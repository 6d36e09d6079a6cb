use bunraku_document::closest;
use thiserror::Error;

/// A body has no link or joint of a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{body}` has no {kind} `{name}`{help}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    body: String,
    help: String,
}

impl UnknownName {
    pub(super) fn of<'a>(kind: &'static str, name: &str, body: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.collect();
        let help = match closest(name, known.iter().copied()) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None if known.is_empty() => format!("; it has no {kind}s"),
            None => format!("; it has `{}`", known.join("`, `")),
        };
        Self { kind, name: name.to_owned(), body: body.to_owned(), help }
    }
}
