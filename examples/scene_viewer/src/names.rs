//! Names for what has none.

/// The name, or `node 12` where there is none or none that can be seen.
pub fn name(given: Option<&str>, kind: &str, index: usize) -> String {
    given.filter(|name| is_seen(name)).map_or_else(|| format!("{kind} {index}"), Into::into)
}

/// `node 3 "arm"`, or `node 3` where no name can be seen.
pub fn described(kind: &str, index: usize, given: Option<&str>) -> String {
    match given.filter(|name| is_seen(name)) {
        Some(name) => format!("{kind} {index} {name:?}"),
        None => format!("{kind} {index}"),
    }
}

/// Spaces, controls, and characters of no width are not.
pub fn is_seen(name: &str) -> bool {
    let invisible = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    !name.chars().all(invisible)
}
