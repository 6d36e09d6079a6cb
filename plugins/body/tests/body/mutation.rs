//! Mutations of XML files.

/// Changes a text in up to three places: attributes get one of `words`, tags are repeated elsewhere, letters are removed. `below`
/// draws a number below another.
pub fn mutate(text: &mut String, words: &[&str], below: &mut impl FnMut(usize) -> usize) {
    for _ in 0..=below(3) {
        if !text.contains('<') {
            return;
        }
        match below(5) {
            // An attribute with another value.
            0 | 1 => {
                let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
                if quotes.len() > 1 {
                    let pair = 2 * below(quotes.len() / 2);
                    text.replace_range(quotes[pair] + 1..quotes[pair + 1], words[below(words.len())]);
                }
            }
            // A tag twice, or in another place.
            2 | 3 => {
                let starts: Vec<usize> = text.match_indices('<').map(|(at, _)| at).collect();
                let (from, to) = (starts[below(starts.len())], starts[below(starts.len())]);
                let end = text[from..].find('>').map_or(text.len(), |end| from + end + 1);
                let tag = text[from..end].to_owned();
                text.insert_str(to, &tag);
                if !tag.ends_with("/>") && !tag.starts_with("</") {
                    let name = tag[1..].split([' ', '>']).next().unwrap_or_default();
                    text.insert_str(to + tag.len(), &format!("</{name}>"));
                }
            }
            // A letter less, or the rest gone.
            _ => {
                let at = below(text.len());
                if text.is_char_boundary(at) {
                    if below(8) == 0 {
                        text.truncate(at)
                    } else {
                        text.remove(at);
                    }
                }
            }
        }
    }
}
