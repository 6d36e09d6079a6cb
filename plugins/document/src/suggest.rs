/// The candidate of which `word` is most likely a misspelling, if one is similar enough.
///
/// Case and underscores are ignored (`jointAxis` is near `joint_axis`). At most a third of the other characters may
/// differ.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    let letters = folded.chars().count();
    let allowed = (letters / 3).clamp(1, 3);
    let distance = |candidate: &str| {
        let other = fold(candidate);
        // The distance is at least the difference of the lengths. Its table has a cell for each pair of characters.
        let is_near = other.chars().count().abs_diff(letters) <= allowed;
        is_near.then(|| strsim::damerau_levenshtein(&folded, &other)).filter(|&distance| distance <= allowed)
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .filter(|&(distance, candidate)| distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.chars().filter(|&c| c != '_' && c != '-').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn typing_mistakes_are_recognised() {
        let keys = ["joint_axis", "joint_type", "mass", "translation", "center_of_mass"];
        assert_eq!(closest("joitAxis", keys), Some("joint_axis"));
        assert_eq!(closest("mas", keys), Some("mass"));
        assert_eq!(closest("tranlsation", keys), Some("translation"));
        assert_eq!(closest("centre_of_mass", keys), Some("center_of_mass"));
    }

    #[test]
    fn a_word_of_ten_megabytes_has_no_match() {
        // A table of distances would have 10 MB times the length of each candidate.
        assert_eq!(closest(&"mass".repeat(10 << 18), ["mass", "joint_axis"]), None);
    }

    #[test]
    fn other_words_are_left_alone() {
        let keys = ["id", "name", "mass", "on"];
        assert_eq!(closest("AMOR", keys), None);
        assert_eq!(closest("density", keys), None);
        assert_eq!(closest("xy", keys), None);
    }
}
