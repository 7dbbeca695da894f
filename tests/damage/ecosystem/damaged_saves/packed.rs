//! A save in postcard taken apart, and damage to its parts.

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

/// How many bytes an entity takes: a length, and 16 bytes. A length below 128 takes one.
const ENTITY: usize = 1 + 16;

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        self.0.split_off(..len).expect("a whole save").to_vec()
    }

    fn length(&mut self) -> usize {
        let (length, rest) = postcard::take_from_bytes(self.0).expect("a whole save");
        self.0 = rest;
        length
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
            "Children" => 1 + ENTITY * peek.length(),
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
    assert_eq!(reader.length(), 0, "the packed one");
    reader.many(Reader::archetype)
}

/// A save that is written, and its lengths.
#[derive(Default)]
struct Writer {
    save: Vec<u8>,
    lengths: Vec<u64>,
    /// The number of a length, and what is written in its place.
    wrong: Option<(usize, u64)>,
}

impl Writer {
    fn length(&mut self, len: usize) {
        let len = len as u64;
        let wrong = self.wrong.filter(|(number, _)| *number == self.lengths.len());
        self.lengths.push(len);
        self.save.extend(postcard::to_stdvec(&wrong.map_or(len, |(_, wrong)| wrong)).unwrap());
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

fn write(archetypes: &[Archetype], wrong: Option<(usize, u64)>) -> Writer {
    let mut writer = Writer { wrong, ..Writer::default() };
    writer.length(1);
    writer.save.push(0);
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
    assert!(write(&archetypes, None).save == *save, "taken apart and put together");
    let what = change(&mut archetypes, rng);
    *save = write(&archetypes, None).save;
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
            "Children" => 1,
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
            let at = 1 + rng.below(ENTITY - 1);
            slots[slot][at] ^= 0x81;
        } else if !names.is_empty() {
            slots[slot].copy_from_slice(&names[rng.below(names.len())]);
        }
    }
}

/// Changes one of the lengths, and says so.
pub fn damage_length(save: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let archetypes = read(save);
    let lengths = write(&archetypes, None).lengths;
    let number = rng.below(lengths.len());
    let length = lengths[number];
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
    *save = write(&archetypes, Some((number, other))).save;
    "a length"
}
