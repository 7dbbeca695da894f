//! A row source without an `unsafe` block of its own can take a column away from an archetype: no
//! event says so and no version is bumped. Then the world is refused, for every column.

#![allow(unsafe_code, reason = "a storage has methods that are unsafe to call")]

use harness::properties::{Tint, bundle};
use legion::{
    Entity, IntoQuery, Resources, Schedule, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeIndex, ArchetypeSource, ArchetypeWriter, Component, ComponentIndex, ComponentMeta,
        ComponentSource, ComponentTypeId, EntityLayout, IntoComponentSource,
        UnknownComponentStorage,
    },
};
use legion_transform::{
    components::{CompositeScale, PreviousParent},
    findings::FindingKind,
    prelude::*,
};

/// Stands in for a storage, and takes what Legion asks it to give away from.
struct Thief(Box<dyn UnknownComponentStorage>);

const HERE: ArchetypeIndex = ArchetypeIndex(0);

impl UnknownComponentStorage for Thief {
    fn transfer_archetype(
        &mut self,
        _: ArchetypeIndex,
        from: ArchetypeIndex,
        world: &mut dyn UnknownComponentStorage,
    ) {
        world.transfer_archetype(from, HERE, &mut *self.0);
    }
    unsafe fn extend_memcopy_raw(&mut self, _: ArchetypeIndex, _: *const u8, _: usize) {}
    fn increment_epoch(&mut self) {}
    fn insert_archetype(&mut self, _: ArchetypeIndex, _: Option<usize>) {}
    fn transfer_component(
        &mut self,
        _: ArchetypeIndex,
        _: ComponentIndex,
        _: ArchetypeIndex,
        _: &mut dyn UnknownComponentStorage,
    ) {
    }
    fn move_component(&mut self, _: ArchetypeIndex, _: ComponentIndex, _: ArchetypeIndex) {}
    fn swap_remove(&mut self, _: ArchetypeIndex, _: ComponentIndex) {}
    fn pack(&mut self, _: u64) -> usize {
        0
    }
    fn fragmentation(&self) -> f32 {
        0.0
    }
    fn element_vtable(&self) -> ComponentMeta {
        ComponentMeta::of::<()>()
    }
    fn get_raw(&self, _: ArchetypeIndex) -> Option<(*const u8, usize)> {
        None
    }
    unsafe fn get_mut_raw(&self, _: ArchetypeIndex) -> Option<(*mut u8, usize)> {
        None
    }
    fn ensure_capacity(&mut self, _: ArchetypeIndex, _: usize) {}
}

/// A source of no rows, which takes the column of a component out of the archetype of a layout.
struct Theft {
    layout: EntityLayout,
    component: ComponentTypeId,
}

struct Exactly(EntityLayout);

impl LayoutFilter for Exactly {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        self.0.matches_layout(components)
    }
}

impl ArchetypeSource for Theft {
    type Filter = Exactly;
    fn filter(&self) -> Exactly {
        Exactly(self.layout.clone())
    }
    fn layout(&mut self) -> EntityLayout {
        self.layout.clone()
    }
}

impl ComponentSource for Theft {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        let types = self.layout.component_types().iter();
        for (&component, constructor) in types.zip(self.layout.component_constructors()) {
            let mut column = writer.claim_components_unknown(component);
            if component == self.component {
                let mut storage = constructor();
                storage.insert_archetype(HERE, None);
                column.move_archetype_from(HERE, &mut Thief(storage));
            }
        }
    }
}

impl IntoComponentSource for Theft {
    type Source = Self;
    fn into(self) -> Self {
        self
    }
}

/// Takes the children's column of `T`, writes to the world in several ways, and runs.
fn steal<T: Component>() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let mut schedule = Schedule::builder().add_transforms(bundle()).build();
    let root = world.push_transform((Translation::new(1.0, 0.0, 0.0),));
    let row = |i: usize| {
        let inverses = (WorldToLocal::identity(), ParentScaleInverse::identity());
        let place = (Translation::new(i as f32, 0.0, 0.0), Rotation::identity());
        (place.0, place.1, Scale(1.0), inverses.0, inverses.1, CompositeScale::identity(), Tint(2))
    };
    let children = world.extend_children(root, (0..500).map(row));
    schedule.execute(&mut world, &mut resources);
    schedule.execute(&mut world, &mut resources);
    let layout = EntityLayout::clone(world.entry(children[0]).unwrap().archetype().layout());
    world.extend(Theft { layout, component: ComponentTypeId::of::<T>() });
    for step in 0..4 {
        match step {
            0 => world.entry(root).unwrap().add_component(Translation::new(5.0, 0.0, 0.0)),
            1 => <&mut Scale>::query().for_each_mut(&mut world, |scale| scale.0 += 1.0),
            2 => <&mut Translation>::query().for_each_mut(&mut world, |at| at.vector.x += 1.0),
            _ => <&mut Parent>::query().for_each_mut(&mut world, |_| ()),
        }
        schedule.execute(&mut world, &mut resources);
        let findings = resources.get::<Findings>().unwrap();
        let kinds: Vec<FindingKind> = findings.of(&world).map(|finding| finding.kind).collect();
        assert!(matches!(kinds[..], [FindingKind::DamagedColumn { .. }]), "{kinds:?} at {step}");
    }
    std::mem::forget(world); // Legion cannot drop an archetype with a column less.
}

#[test]
fn a_world_with_a_stolen_column_is_refused() {
    steal::<LocalToParent>();
    steal::<LocalToWorld>();
    steal::<WorldToLocal>();
    steal::<Translation>();
    steal::<Rotation>();
    steal::<Scale>();
    steal::<Parent>();
    steal::<PreviousParent>();
    steal::<ParentScaleInverse>();
    steal::<CompositeScale>();
    steal::<Tint>();
    steal::<Effective<Tint>>();
}
