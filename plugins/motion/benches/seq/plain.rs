//! The same files read by a general YAML reader, into structures that are as cheap as possible.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

#[derive(Deserialize)]
pub struct Motion {
    components: Vec<Component>,
}

#[derive(Deserialize)]
struct Component {
    frames: Vec<Vec<Entry>>,
}

/// A number of a frame, or a list of numbers.
enum Entry {
    Number(f64),
    List(Vec<f64>),
}

/// Implemented by hand, because serde's derived code keeps a copy of everything while it tries variants.
impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Entry, E> {
        Ok(Entry::Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Entry, E> {
        Ok(Entry::Number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Entry, E> {
        Ok(Entry::Number(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Entry, A::Error> {
        let mut numbers = Vec::with_capacity(7);
        while let Some(number) = items.next_element()? {
            numbers.push(number);
        }
        Ok(Entry::List(numbers))
    }
}

/// Reads a motion.
pub fn read(path: &Path) -> Motion {
    let text = fs::read_to_string(path).unwrap();
    yaml_serde::from_str(&text).unwrap()
}

impl Motion {
    pub fn num_numbers(&self) -> usize {
        let frames = self.components.iter().flat_map(|component| &component.frames);
        let count = |entry: &Entry| match entry {
            Entry::Number(number) => usize::from(number.is_finite()),
            Entry::List(numbers) => numbers.len(),
        };
        frames.flatten().map(count).sum()
    }
}
