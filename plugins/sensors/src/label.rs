//! What devices are called in files.

use bunraku_body::Body;

/// A name for each device of a body that can be that of a file and that no other device of it has, in the order of
/// [`Body::devices`]: its own name where that will do, without what file names cannot hold; the type where it has none;
/// and behind it a number where another one is called the same, in whatever case.
pub fn device_labels(body: &Body) -> Vec<String> {
    let mut labels: Vec<String> = Vec::with_capacity(body.devices.len());
    for device in &body.devices {
        let name = if device.name.trim().is_empty() { device.type_name() } else { device.name.trim() };
        let plain = plain(name);
        let is_taken = |label: &String| labels.iter().any(|known| known.to_lowercase() == label.to_lowercase());
        let numbered = (2_u32..).map(|number| format!("{plain}-{number}"));
        let label = std::iter::once(plain.clone()).chain(numbered).find(|label| !is_taken(label));
        labels.push(label.unwrap_or(plain));
    }
    labels
}

/// A name without separators of paths and whatever else some system does not allow in names of files.
fn plain(name: &str) -> String {
    /// Bytes that are left for numbers and extensions, of the 255 that systems allow.
    const LONGEST: usize = 200;
    let mut plain = String::new();
    for letter in name.chars() {
        let letter = if letter.is_control() || r#"/\:*?"<>|"#.contains(letter) { '_' } else { letter };
        if plain.len() + letter.len_utf8() > LONGEST {
            break;
        }
        plain.push(letter);
    }
    // A dot at the beginning hides files, one at the end is lost on some systems.
    let plain = plain.trim_end_matches(['.', ' ']);
    if plain.starts_with('.') || plain.is_empty() { format!("_{plain}") } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_a_name_of_its_own_that_a_file_can_have() {
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
