//! Numbers with their nouns.

/// `1 node`, `2 nodes`; `1 vertex`, `2 vertices`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    let stem = |end| noun.strip_suffix(end);
    match (stem("ex").or(stem("ix")), stem("y"), noun.ends_with("sh")) {
        (Some(stem), ..) => format!("{count} {stem}ices"),
        (_, Some(stem), _) => format!("{count} {stem}ies"),
        (.., true) => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}
