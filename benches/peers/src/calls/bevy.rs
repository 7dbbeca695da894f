//! The same skeletons in Bevy.

use bevy_app::{App, PostUpdate, TaskPoolPlugin};
use bevy_ecs::{
    entity::EntityCloner,
    prelude::*,
    system::{SystemParam, SystemState},
};
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_transform::{TransformPlugin, prelude::*};

use super::rows::{
    BONES, Bones, LIMB, LIMBS, Round,
    clones::{Shape, count},
    each,
    scene::{place, turn},
    timed,
};

pub fn body(i: usize) -> Transform {
    let [x, y, z] = turn(i);
    let rotation = Quat::from_euler(EulerRot::ZYX, z, y, x);
    Transform { translation: Vec3::from_array(place(i)), rotation, scale: Vec3::ONE }
}

/// The bones of each skeleton, each limb from the tip upwards, and then the root.
pub fn spawn(world: &mut World, skeletons: usize) -> Vec<Vec<Entity>> {
    let skeleton = |i: usize| {
        let root = world.spawn(body(i)).id();
        let mut all = Vec::with_capacity(BONES);
        for _ in 0..LIMBS {
            let mut above = root;
            for below in (1..=LIMB).rev() {
                above = world.spawn((body(below), ChildOf(above))).id();
                all.push(above);
            }
            let limb = all.len() - LIMB;
            all[limb..].reverse();
        }
        all.push(root);
        all
    };
    (0..skeletons).map(skeleton).collect()
}

/// The scene.
pub struct Bevy {
    pub app: App,
    pub bones: Bones<Entity>,
}

impl Bevy {
    pub fn new(skeletons: usize) -> Self {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TransformPlugin));
        app.finish();
        let bones = Bones::new(&spawn(app.world_mut(), skeletons));
        let mut it = Self { app, bones };
        (0..2).for_each(|_| it.run());
        it
    }

    pub fn run(&mut self) {
        self.app.world_mut().run_schedule(PostUpdate);
        self.app.world_mut().clear_trackers();
    }

    pub fn read<R>(&mut self, mut call: impl FnMut(&World, Entity) -> R) -> Round {
        each(&self.bones.picks, |pick| call(self.app.world(), pick))
    }

    pub fn edit<E: Copy>(&mut self, all: Vec<E>, mut call: impl FnMut(&mut World, E)) -> Round {
        each(&all, |it| call(self.app.world_mut(), it))
    }

    /// What a system does with a parameter.
    pub fn system<P: SystemParam + 'static>(
        &mut self,
        call: impl FnOnce(P::Item<'_, '_>, &Bones<Entity>) -> Round,
    ) -> Round {
        let mut state = SystemState::<P>::new(self.app.world_mut());
        call(state.get_mut(self.app.world_mut()).unwrap(), &self.bones)
    }

    /// Spawns in a new world with one entity, which may be a parent.
    pub fn spawned(&self, spawn: fn(&mut World, Entity, usize)) -> Round {
        let (mut world, count) = (World::new(), self.bones.roots.len() * BONES);
        let parent = world.spawn(body(0)).id();
        timed(count, || spawn(&mut world, parent, count))
    }

    /// Copies of 40 skeletons, alone or with the run.
    pub fn skeletons_cloned(&mut self, with_run: bool) -> Round {
        let few = self.bones.few();
        self.cloned(&few, (BONES, 1), with_run)
    }

    /// Copies of a tree, so many.
    pub fn trees_cloned(&mut self, shape: Shape, copies: usize, with_run: bool) -> Round {
        let root = tree(self.app.world_mut(), shape);
        self.run();
        self.cloned(&[root], (count(shape), copies), with_run)
    }

    fn cloned(&mut self, roots: &[Entity], (size, copies): (usize, usize), run: bool) -> Round {
        timed(roots.len() * copies * size, || {
            let world = self.app.world_mut();
            let mut builder = EntityCloner::build_opt_out(world);
            builder.linked_cloning(true);
            let mut cloner = builder.finish();
            for &root in roots {
                (0..copies).for_each(|_| _ = cloner.spawn_clone(world, root));
            }
            if run {
                self.run();
            }
        })
    }
}

fn tree(world: &mut World, shape: Shape) -> Entity {
    let root = world.spawn(body(0)).id();
    let mut level = vec![root];
    for &children in shape {
        let mut next = Vec::new();
        for parent in level {
            next.extend((0..children).map(|i| world.spawn((body(i), ChildOf(parent))).id()));
        }
        level = next;
    }
    root
}
