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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_right() {
        let counts = |noun| [0, 1, 2].map(|count| counted(count, noun)).join(", ");
        assert_eq!(counts("node"), "0 nodes, 1 node, 2 nodes");
        assert_eq!(counts("vertex"), "0 vertices, 1 vertex, 2 vertices");
        assert_eq!(counts("matrix"), "0 matrices, 1 matrix, 2 matrices");
        assert_eq!(counts("skinned mesh"), "0 skinned meshes, 1 skinned mesh, 2 skinned meshes");
        assert_eq!(counts("entity"), "0 entities, 1 entity, 2 entities");
    }
}
