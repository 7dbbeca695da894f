//! Edits keep what components mean: not only is the matrix right. Random entities of all component
//! sets, below random parents.

mod case;
mod cases;
mod errors;
mod judge;
mod needs;

use harness::{Rng, demand};

use case::Case;

/// After any edit, or an error, the judge finds nothing wrong; and so after another one, before
/// the next run.
#[test]
fn any_edit_of_any_entity_keeps_what_components_mean() {
    demand::each_seed(600, |seed| {
        let mut case = Case::new(Rng::new(seed));
        case.judge();
        let mut case = case.next();
        case.judge();
        case.run();
    });
}
