//! Files that import each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{Names, Sources};

/// What each file imports, without the modules that it is in and those in it: a room and its own
/// files know each other.
pub fn graph(sources: &Sources) -> BTreeMap<Names, BTreeSet<Names>> {
    let mut graph: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
    for (from, import) in sources.imports() {
        let to = sources.module(import);
        graph.entry(to.to_vec()).or_default();
        if !from.starts_with(to) && !to.starts_with(from) {
            graph.entry(from.clone()).or_default().insert(to.to_vec());
        }
    }
    graph
}

/// What is on a circle, or between two circles.
pub fn circles(mut graph: BTreeMap<Names, BTreeSet<Names>>) -> BTreeMap<Names, BTreeSet<Names>> {
    loop {
        let imported: BTreeSet<Names> = graph.values().flatten().cloned().collect();
        let before = graph.len();
        graph.retain(|file, imports| !imports.is_empty() && imported.contains(file));
        let left: BTreeSet<Names> = graph.keys().cloned().collect();
        graph.values_mut().for_each(|imports| imports.retain(|file| left.contains(file)));
        if graph.len() == before {
            return graph;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_what_leads_there_is_not() {
        let names = |name: &str| vec![name.to_owned()];
        let arrows = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")];
        let mut graph: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
        for (from, to) in arrows {
            graph.entry(names(from)).or_default().insert(names(to));
            graph.entry(names(to)).or_default();
        }
        let found = circles(graph).into_keys().collect::<Vec<_>>().concat();
        assert_eq!(found, ["b", "c", "d"]);
    }
}
