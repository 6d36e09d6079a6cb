//! Names of devices in files.

use std::collections::{HashMap, HashSet};

use bunraku_body::{Body, Device};

/// A unique name for each device of a body that is valid as a file name, in the order of [`Body::devices`]. It is the
/// name of the device without characters that are invalid in file names, or its type if it has no name. A number is
/// appended if another label is equal, ignoring case.
pub fn device_labels(body: &Body) -> Vec<String> {
    let name = |device: &Device| match device.name.trim() {
        "" => device.type_name().to_owned(),
        name => name.to_owned(),
    };
    distinct(body.devices.iter().map(name))
}

/// A label for each name. Takes time linear in the number of names: a tactile skin may have thousands of sensors
/// without a name.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    // The smallest number that may be free after a label in lower case. Labels are only added, so it never decreases.
    let mut next: HashMap<String, u32> = HashMap::new();
    let label = |name: String| {
        let plain = plain(&name);
        if taken.insert(plain.to_lowercase()) {
            return plain;
        }
        let number = next.entry(plain.to_lowercase()).or_insert(2);
        loop {
            let label = format!("{plain}-{number}");
            *number += 1;
            if taken.insert(label.to_lowercase()) {
                return label;
            }
        }
    };
    names.map(label).collect()
}

/// A name without path separators and characters that some system does not allow in file names.
fn plain(name: &str) -> String {
    /// Maximum length in bytes; the rest of the 255 that systems allow is for numbers and extensions.
    const LONGEST: usize = 200;
    let mut plain = String::new();
    for letter in name.chars() {
        let letter = if letter.is_control() || r#"/\:*?"<>|"#.contains(letter) { '_' } else { letter };
        if plain.len() + letter.len_utf8() > LONGEST {
            break;
        }
        plain.push(letter);
    }
    // A dot at the beginning hides files; at the end it is dropped by some systems.
    let plain = plain.trim_end_matches(['.', ' ']);
    if plain.starts_with('.') || plain.is_empty() { format!("_{plain}") } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::Random;

    use super::*;

    /// Simple reference implementation of the rule.
    fn by_the_rule(names: &[&str]) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        for name in names {
            let plain = plain(name);
            let is_free = |label: &String| labels.iter().all(|known| known.to_lowercase() != label.to_lowercase());
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            labels.push(std::iter::once(plain.clone()).chain(numbered).find(is_free).unwrap());
        }
        labels
    }

    #[test]
    fn labels_follow_the_rule_whatever_names_there_are() {
        let words = ["a", "A", "a-2", "A-2", "a-3", "a-2-2", "b", "a/2", "a_2", "", ".", "ΑΣ", "ας", "-2"];
        let mut random = Random::new(1);
        for _ in 0..500 {
            let names: Vec<&str> = (0..1 + random.below(30)).map(|_| random.of(&words)).collect();
            assert_eq!(distinct(names.iter().map(|name| (*name).to_owned())), by_the_rule(&names), "{names:?}");
        }
    }

    /// An algorithm of quadratic time took minutes, one of cubic time days.
    #[test]
    fn labels_of_many_devices_take_linear_time() {
        const NUMBER: usize = 30_000;
        let same = distinct((0..NUMBER).map(|_| "Touch".to_owned()));
        assert_eq!((same[0].as_str(), same[1].as_str()), ("Touch", "Touch-2"));
        assert_eq!(same[NUMBER - 1], format!("Touch-{NUMBER}"));
        let different = distinct((0..NUMBER).map(|index| format!("Touch{index}")));
        assert_eq!(different[NUMBER - 1], format!("Touch{}", NUMBER - 1));
    }

    #[test]
    fn device_labels_are_unique_and_valid_file_names() {
        let text = "
format: ChoreonoidBody
format_version: 2.0
name: Named
links:
  - name: BASE
    elements:
      - { type: Imu, name: Waist }
      - { type: ForceSensor, name: waist }
      - { type: ForceSensor }
      - { type: ForceSensor }
      - { type: ForceSensor, name: ../a:b. }
";
        let source = bunraku_document::SourceFile::from_text("named.body", text);
        let body = bunraku_body::read(&source, &Default::default(), &bunraku_document::Reporter::new()).unwrap();
        assert_eq!(device_labels(&body), ["Waist", "waist-2", "ForceSensor", "ForceSensor-2", "_.._a_b"]);
    }
}
