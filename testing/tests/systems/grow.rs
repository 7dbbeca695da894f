//! An edit of the program's own: an entity becomes twice as large, whatever its scale is called.

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Cast, OwnEdit};
use proptest::prelude::*;

use super::{Trial, is_found, is_right};

/// The mistake is to add `Scale` beside a `NonUniformScale`.
#[derive(Debug)]
struct Grow {
    index: usize,
    forgets_axes: bool,
}

impl OwnEdit for Grow {
    fn play(&self, world: &mut World, _: &mut Resources, cast: &mut Cast) {
        let entity = cast.pick(self.index).and_then(|entity| world.entry(entity));
        let Some(mut entry) = entity else { return };
        if let Ok(axes) = entry.get_component_mut::<NonUniformScale>()
            && !self.forgets_axes
        {
            axes.0 *= 2.0;
        } else if let Ok(scale) = entry.get_component_mut::<Scale>() {
            scale.0 *= 2.0;
        } else {
            entry.add_component(Scale(2.0));
        }
    }
}

fn grows(mistaken: bool, trial: Trial) {
    let grow = move |index| Grow { index, forgets_axes: mistaken };
    trial.check().edits_keep_meaning().run(
        trial.edits().edit((0..12_usize).prop_map(grow)),
        || Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
        |_, _| Ok(()),
    );
}

#[test]
fn what_grows_keeps_its_axes() {
    is_right(|trial| grows(false, trial));
}

#[test]
fn a_second_scale_is_found() {
    is_found("NonUniformScale", |trial| grows(true, trial));
}
