//! Every element and attribute of MuJoCo's schema is known, and none of them is an unknown key.

use bunraku_body::LoadOptions;

use super::read_text;

const GRAMMAR: &str = include_str!("../../../src/reader/mjcf/grammar.txt");

#[test]
fn no_element_or_attribute_of_the_schema_is_an_unknown_key() {
    let mut path: Vec<&str> = Vec::new();
    let mut count = 0;
    for line in GRAMMAR.lines() {
        let mut words = line.split_ascii_whitespace();
        let depth: usize = words.next().unwrap().parse().unwrap();
        let tag = words.next().unwrap();
        path.truncate(depth);
        path.push(tag);
        let attributes: Vec<&str> = words.collect();
        let text = |attributes: &str| {
            let mut text = String::new();
            for outer in &path[..path.len() - 1] {
                let outer = if *outer == "body" { "worldbody><body" } else { outer };
                text.push_str(&format!("<{outer}>"));
            }
            let tag = if *tag == *"body" && depth == 1 { "worldbody><body" } else { tag };
            text.push_str(&format!("<{tag} {attributes}>"));
            text
        };
        // The end tags.
        let closing: String = path
            .iter()
            .rev()
            .map(|tag| if *tag == "body" { "</body></worldbody>".to_owned() } else { format!("</{tag}>") })
            .collect();
        for attribute in &attributes {
            count += 1;
            let whole = format!("{}{closing}", text(&format!("{attribute}=\"1\"")));
            let (_, findings) = read_text(&whole, &LoadOptions::default());
            let unknown =
                findings.iter().find(|finding| finding.code == "unknown-key" || finding.code == "xml-malformed");
            assert!(unknown.is_none(), "{whole}: {unknown:?}");
        }
    }
    println!("{count} attributes");
    assert!(count > 1500);
}
