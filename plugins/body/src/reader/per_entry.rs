//! Values for each entry of a file, by the indices that [`PerEntry`] gives the entries.

use std::ops::{Index, IndexMut};

/// Index of an entry in file order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct EntryIndex(usize);

/// A value for each entry of one file. Only the first values of a file are made from a list; further ones are made
/// from these, so that an index is valid for all of them.
pub(super) struct PerEntry<T>(Vec<T>);

impl<T> PerEntry<T> {
    pub(super) fn of(entries: Vec<T>) -> Self {
        Self(entries)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// In file order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (EntryIndex, &T)> {
        self.0.iter().enumerate().map(|(index, value)| (EntryIndex(index), value))
    }

    /// Other values of the same entries.
    pub(super) fn map<U>(&self, mut value: impl FnMut(EntryIndex, &T) -> U) -> PerEntry<U> {
        PerEntry(self.iter().map(|(index, old)| value(index, old)).collect())
    }

    /// Makes the values optional, so that each can be taken.
    pub(super) fn into_options(self) -> PerEntry<Option<T>> {
        PerEntry(self.0.into_iter().map(Some).collect())
    }
}

impl<T> Index<EntryIndex> for PerEntry<T> {
    type Output = T;

    #[expect(clippy::indexing_slicing, reason = "an index is that of an entry of the same file")]
    fn index(&self, entry: EntryIndex) -> &T {
        &self.0[entry.0]
    }
}

impl<T> IndexMut<EntryIndex> for PerEntry<T> {
    #[expect(clippy::indexing_slicing, reason = "an index is that of an entry of the same file")]
    fn index_mut(&mut self, entry: EntryIndex) -> &mut T {
        &mut self.0[entry.0]
    }
}
