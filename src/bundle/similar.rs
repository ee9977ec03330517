//! What to say to a person whose name for a thing was not found.

/// The candidate closest to `given`, where one is close enough to be meant: at
/// most one edit for each four characters, two neighbours exchanged being one.
/// Ties go to the one that comes first.
pub fn closest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes a name this long, and the distance is quadratic.
    if given.len() > 100 {
        return None;
    }
    let given = given.to_lowercase();
    let allowed = (given.chars().count() / 4).max(1);
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The id or hash whose beginning is closest to `given`: one edit away, two
/// where eight characters or more are given. Ids are near each other by nature,
/// so nothing is said where two are equally close.
pub fn closest_beginning<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (given, length) = (given.to_uppercase(), given.chars().count());
    let allowed = match length {
        0..4 => return None,
        4..8 => 1,
        8..=64 => 2,
        _ => return None,
    };
    let distance = |candidate: &str| {
        let beginning: String = candidate.chars().take(length).collect();
        strsim::damerau_levenshtein(&given, &beginning.to_uppercase())
    };
    let mut close: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    close.sort_by_key(|(distance, _)| *distance);
    match close.as_slice() {
        [(_, one)] => Some(one),
        [(nearest, one), (next, _), ..] if nearest < next => Some(one),
        _ => None,
    }
}

/// The first of many names, for a message.
pub fn first_few<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = names.collect();
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
