/// The candidate that `word` is most likely a misspelling of, if one is near enough.
///
/// Case and underscores do not count (`jointAxis` is near `joint_axis`); beyond that a third of the letters may
/// be wrong.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    let allowed = (folded.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.chars().count())
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
    fn other_words_are_left_alone() {
        let keys = ["id", "name", "mass", "on"];
        assert_eq!(closest("AMOR", keys), None);
        assert_eq!(closest("density", keys), None);
        assert_eq!(closest("xy", keys), None);
    }
}
