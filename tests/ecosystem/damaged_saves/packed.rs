//! A save in bincode taken apart, and damage to its parts.

use harness::Rng;

/// A name and what has it.
type Named<T> = (String, T);

#[derive(Clone)]
struct Archetype {
    layout: Vec<String>,
    entities: Vec<Vec<u8>>,
    /// A value a row.
    columns: Vec<Named<Vec<Vec<u8>>>>,
}

/// How many bytes a length takes, and an entity: a length and 16 bytes.
const LENGTH: usize = 8;
const ENTITY: usize = LENGTH + 16;

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        self.0.split_off(..len).expect("a whole save").to_vec()
    }

    fn length(&mut self) -> usize {
        u64::from_le_bytes(self.bytes(LENGTH).try_into().unwrap()) as usize
    }

    fn key(&mut self) -> String {
        let len = self.length();
        String::from_utf8(self.bytes(len)).unwrap()
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.length()).map(|_| one(self)).collect()
    }

    fn value(&mut self, component: &str) -> Vec<u8> {
        let mut peek = Reader(self.0);
        let len = match component {
            "LocalToWorld" | "LocalToParent" | "WorldToLocal" | "ParentScaleInverse"
            | "CompositeRotation" | "CompositeScale" => 64,
            "Rotation" | "PostRotation" => 16,
            "Scale" => 4,
            "Inherits" => 3,
            "Parent" => ENTITY,
            "PreviousParent" => 1 + ENTITY * usize::from(self.0[0]),
            "Children" => LENGTH + ENTITY * peek.length(),
            _ => 12,
        };
        self.bytes(len)
    }

    fn archetype(&mut self) -> Archetype {
        let layout = self.many(Self::key);
        let entities = self.many(|reader| reader.bytes(ENTITY));
        let columns = self.many(|reader| {
            let key = reader.key();
            let values = reader.many(|reader| reader.value(&key));
            (key, values)
        });
        Archetype { layout, entities, columns }
    }
}

/// Takes a save apart.
fn read(save: &[u8]) -> Vec<Archetype> {
    let mut reader = Reader(save);
    assert_eq!(reader.length(), 1, "one form");
    assert_eq!(reader.bytes(4), [0; 4], "the packed one");
    reader.many(Reader::archetype)
}

/// A save that is written, and where its lengths are.
#[derive(Default)]
struct Writer {
    save: Vec<u8>,
    lengths: Vec<usize>,
}

impl Writer {
    fn length(&mut self, len: usize) {
        self.lengths.push(self.save.len());
        self.save.extend((len as u64).to_le_bytes());
    }

    fn key(&mut self, key: &str) {
        self.length(key.len());
        self.save.extend(key.bytes());
    }

    fn archetype(&mut self, archetype: &Archetype) {
        self.length(archetype.layout.len());
        archetype.layout.iter().for_each(|key| self.key(key));
        self.values(&archetype.entities);
        self.length(archetype.columns.len());
        for (key, values) in &archetype.columns {
            self.key(key);
            self.values(values);
        }
    }

    fn values(&mut self, values: &[Vec<u8>]) {
        self.length(values.len());
        values.iter().for_each(|value| self.save.extend(value));
    }
}

fn write(archetypes: &[Archetype]) -> Writer {
    let mut writer = Writer::default();
    writer.length(1);
    writer.save.extend([0; 4]);
    writer.length(archetypes.len());
    archetypes.iter().for_each(|archetype| writer.archetype(archetype));
    writer
}

/// Removes an element, doubles it, or changes it for another one of the same list.
fn shuffle<T: Clone>(all: &mut Vec<T>, rng: &mut Rng) {
    if all.is_empty() {
        return;
    }
    let (at, other) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(4) {
        0 => drop(all.remove(at)),
        1 => all.push(all[at].clone()),
        2 => all[other] = all[at].clone(),
        _ => all.swap(at, other),
    }
}

/// Changes a part of a save, and says which.
pub fn damage(save: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let mut archetypes = read(save);
    assert!(write(&archetypes).save == *save, "taken apart and put together");
    let what = change(&mut archetypes, rng);
    *save = write(&archetypes).save;
    what
}

fn change(archetypes: &mut Vec<Archetype>, rng: &mut Rng) -> &'static str {
    let names: Vec<_> = archetypes.iter().flat_map(|one| one.entities.clone()).collect();
    let sort = rng.below(9);
    let mut number = rng.below(archetypes.len());
    while archetypes[number].entities.is_empty() && !rng.one_in(8) {
        number = rng.below(archetypes.len());
    }
    let stranger = rng.pick(archetypes).clone();
    let archetype = &mut archetypes[number];
    match sort {
        0 => {
            shuffle(archetypes, rng);
            "archetypes"
        }
        1 => {
            shuffle(&mut archetype.layout, rng);
            "layout"
        }
        2 => {
            archetype.layout = stranger.layout;
            "another layout"
        }
        3 => {
            shuffle(&mut archetype.entities, rng);
            "entities"
        }
        4 => {
            shuffle(&mut archetype.columns, rng);
            "columns"
        }
        5 if !stranger.columns.is_empty() => {
            archetype.columns.push(rng.pick(&stranger.columns).clone());
            "another column"
        }
        6 if !archetype.columns.is_empty() => {
            let column = rng.below(archetype.columns.len());
            shuffle(&mut archetype.columns[column].1, rng);
            "rows of a column"
        }
        7 if !archetype.columns.is_empty() => {
            let column = rng.below(archetype.columns.len());
            let key = rng.pick(&["Scale", "Parent", "Children", "LocalToWorld", "Nothing"]);
            archetype.columns[column].0 = (*key).to_owned();
            "the key of a column"
        }
        _ => {
            rename(archetype, &names, rng);
            "names of entities"
        }
    }
}

/// Gives entities, parents and children other names, of which some are known.
fn rename(archetype: &mut Archetype, names: &[Vec<u8>], rng: &mut Rng) {
    let mut slots: Vec<&mut [u8]> = archetype.entities.iter_mut().map(Vec::as_mut_slice).collect();
    for (key, values) in &mut archetype.columns {
        let at = match key.as_str() {
            "Parent" => 0,
            "PreviousParent" => 1,
            "Children" => LENGTH,
            _ => continue,
        };
        for value in values.iter_mut() {
            slots.extend(value[at..].chunks_exact_mut(ENTITY));
        }
    }
    if slots.is_empty() {
        return;
    }
    for _ in 0..1 + rng.below(4) {
        let slot = rng.below(slots.len());
        if rng.one_in(4) {
            let at = LENGTH + rng.below(ENTITY - LENGTH);
            slots[slot][at] ^= 0x81;
        } else if !names.is_empty() {
            slots[slot].copy_from_slice(&names[rng.below(names.len())]);
        }
    }
}

/// Changes one of the lengths, and says so.
pub fn damage_length(save: &mut [u8], rng: &mut Rng) -> &'static str {
    let lengths = write(&read(save)).lengths;
    let at = *rng.pick(&lengths);
    let slot: &mut [u8] = &mut save[at..at + LENGTH];
    let length = u64::from_le_bytes(slot.try_into().unwrap());
    let other = match rng.below(9) {
        0 => 0,
        1 => length + 1,
        2 => length.saturating_sub(1),
        3 => length * 2,
        4 => 1 << 31,
        5 => 1 << 40,
        6 => 1 << 58, // 2^64 bytes of matrices
        7 => u64::MAX / 2,
        _ => u64::MAX,
    };
    slot.copy_from_slice(&other.to_le_bytes());
    "a length"
}
