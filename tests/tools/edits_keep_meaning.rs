//! Edits keep what components mean: not only is the matrix right. Random entities of all component
//! sets, below random parents.

mod case;
mod cases;
mod judge;

use harness::{Rng, demand};

use case::Case;

/// After any edit, or an error, the judge finds nothing wrong.
#[test]
fn any_edit_of_any_entity_keeps_what_components_mean() {
    demand::each_seed(800, |seed| Case::new(Rng::new(seed)).judge());
}
