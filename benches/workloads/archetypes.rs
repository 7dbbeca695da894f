//! Thousands of archetypes in a Legion world: entities with two of 200 marker components each.

use legion::{
    Entity,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, ComponentTypeId, EntityLayout,
        IntoComponentSource,
    },
};

#[derive(Clone, Copy, Debug)]
struct Marker<const N: usize>;

type Register = fn(&mut EntityLayout);

fn register<const N: usize>(layout: &mut EntityLayout) {
    layout.register_component::<Marker<N>>();
}

macro_rules! table {
    ($($tens:literal)*) => {
        [$(
            register::<{ $tens * 10 }>, register::<{ $tens * 10 + 1 }>,
            register::<{ $tens * 10 + 2 }>, register::<{ $tens * 10 + 3 }>,
            register::<{ $tens * 10 + 4 }>, register::<{ $tens * 10 + 5 }>,
            register::<{ $tens * 10 + 6 }>, register::<{ $tens * 10 + 7 }>,
            register::<{ $tens * 10 + 8 }>, register::<{ $tens * 10 + 9 }>,
        )*]
    };
}

/// A hundred for the hundreds of a number, and then as many for the rest.
const MARKERS: [Register; 200] = table!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

/// Components to be spawned in the archetype with a number below 10,000: what `source` has, and the
/// markers.
pub struct Marked<S> {
    source: S,
    number: usize,
}

impl<S: ComponentSource> Marked<S> {
    /// These, in that archetype.
    pub fn new(source: impl IntoComponentSource<Source = S>, number: usize) -> Self {
        Self { source: source.into(), number }
    }

    fn register(&self, layout: &mut EntityLayout) {
        MARKERS[self.number / 100](layout);
        MARKERS[100 + self.number % 100](layout);
    }

    /// The markers alone.
    fn markers(&self) -> [ComponentTypeId; 2] {
        let mut markers = EntityLayout::default();
        self.register(&mut markers);
        [markers.component_types()[0], markers.component_types()[1]]
    }
}

impl<S: ComponentSource> IntoComponentSource for Marked<S> {
    type Source = Self;

    fn into(self) -> Self {
        self
    }
}

/// The layouts that `F` takes, followed by two markers.
pub struct MarkedFilter<F> {
    without: F,
    markers: [ComponentTypeId; 2],
}

impl<F: LayoutFilter> LayoutFilter for MarkedFilter<F> {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        match components.split_last_chunk() {
            Some((without, markers)) if *markers == self.markers => {
                self.without.matches_layout(without)
            }
            _ => FilterResult::Match(false),
        }
    }
}

impl<S: ComponentSource> ArchetypeSource for Marked<S> {
    type Filter = MarkedFilter<S::Filter>;

    fn filter(&self) -> Self::Filter {
        MarkedFilter { without: self.source.filter(), markers: self.markers() }
    }

    fn layout(&mut self) -> EntityLayout {
        let mut layout = self.source.layout();
        self.register(&mut layout);
        layout
    }
}

impl<S: ComponentSource> ComponentSource for Marked<S> {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        entities: impl Iterator<Item = Entity>,
    ) {
        self.source.push_components(writer, entities);
        let count = writer.inserted().1.len();
        for marker in self.markers() {
            let mut markers = writer.claim_components_unknown(marker);
            // SAFETY: markers have no size, so that any number of them can be copied from anywhere.
            #[allow(unsafe_code)]
            unsafe {
                markers.extend_memcopy_raw(std::ptr::NonNull::<u8>::dangling().as_ptr(), count);
            }
        }
    }
}
