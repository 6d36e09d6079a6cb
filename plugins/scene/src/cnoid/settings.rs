//! Settings of an item under any of their spellings: keys have changed over the years.

use bunraku_document::{Reporter, Value};

/// The settings of an item.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a> {
    /// The value of `data`, if there is any.
    data: Option<Value<'a>>,
}

impl<'a> Settings<'a> {
    pub(super) fn new(data: Option<Value<'a>>) -> Self {
        Self { data }
    }

    /// The value of the first of these keys that is present. The newest spelling comes first.
    pub(super) fn get(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().find_map(|key| self.data?.get(key))
    }

    pub(super) fn text(self, keys: &[&str]) -> Option<&'a str> {
        self.get(keys)?.text()
    }

    /// The number under one of these keys; one that cannot be read is reported.
    pub(super) fn number(self, keys: &[&str], reporter: &Reporter) -> Option<f64> {
        reporter.keep(self.get(keys)?.as_number(reporter))
    }

    pub(super) fn flag(self, keys: &[&str], reporter: &Reporter) -> Option<bool> {
        reporter.keep(self.get(keys)?.as_bool())
    }

    pub(super) fn numbers(self, keys: &[&str], reporter: &Reporter) -> Option<Vec<f64>> {
        reporter.keep(self.get(keys)?.as_numbers(reporter))
    }

    pub(super) fn array<const N: usize>(self, keys: &[&str], reporter: &Reporter) -> Option<[f64; N]> {
        reporter.keep(self.get(keys)?.as_array::<N>(reporter))
    }

    /// The subset of `keys` that is present.
    pub(super) fn present(self, keys: &[&'static str]) -> Vec<&'static str> {
        keys.iter().copied().filter(|key| self.get(&[key]).is_some()).collect()
    }
}
