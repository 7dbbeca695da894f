//! What the gltf crate takes for granted of a part, checked where the part is used. It panics where
//! a number refers to nothing or a word has no meaning.

use gltf::json::{
    Index, Path, Root,
    mesh::Semantic,
    validation::{Checked, Error, Validate},
};

use super::{document::Document, findings::Flaw};

/// # Errors
/// The first flaw of an accessor or its buffer views, their numbers aside.
pub fn accessor(document: &Document, index: usize) -> Result<(), Flaw> {
    document.flaws.check(format_args!("accessor {index}"))?;
    let accessor = &document.json().accessors[index];
    // Without a view and without sparse values it is zeros.
    check(accessor, document.json(), |_, flaw| flaw == Error::Missing)?;
    let sparse = accessor.sparse.iter().flat_map(|s| [s.indices.buffer_view, s.values.buffer_view]);
    accessor.buffer_view.into_iter().chain(sparse).try_for_each(|at| view(document, at.value()))
}

/// # Errors
/// The first flaw of a buffer view, its range aside.
pub fn view(document: &Document, index: usize) -> Result<(), Flaw> {
    let root = document.json();
    let found = root.buffer_views.get(index).ok_or("it is not there".into());
    // What it is meant for, and strides of less than four bytes, do no harm.
    let checked = found.and_then(|view| {
        document.flaws.check(format_args!("buffer view {index}"))?;
        check(view, root, |path, _| path != "buffer")
    });
    checked.map_err(|flaw| flaw.of(&format!("buffer view {index}")))
}

/// # Errors
/// The first flaw of a mesh's primitive.
pub fn primitive(document: &Document, mesh: usize, index: usize) -> Result<(), Flaw> {
    document.flaws.check(format_args!("primitive {index} of mesh {mesh}"))?;
    let root = document.json();
    let primitive = &root.meshes[mesh].primitives[index];
    match primitive.attributes.get(&Checked::Valid(Semantic::Positions)) {
        None => return Err("it has no positions".into()),
        // The crate's own check panics.
        Some(at) => within(root.accessors.len(), *at, "accessor", "its positions name")?,
    }
    // Bounds are for those who do not read the positions.
    check(primitive, root, |path, _| path.ends_with(".min") || path.ends_with(".max"))
}

/// # Errors
/// The first flaw of an animation's channel or its sampler.
pub fn channel(document: &Document, animation: usize, index: usize) -> Result<(), Flaw> {
    let root = document.json();
    document.flaws.check(format_args!("channel {index} of animation {animation}"))?;
    let animated = &root.animations[animation];
    let channel = &animated.channels[index];
    check(&channel.target, root, |_, _| false).map_err(|flaw| flaw.of("its target"))?;
    let sampler = channel.sampler.value();
    within(animated.samplers.len(), channel.sampler, "sampler", "it names")?;
    let flawed = |flaw: Flaw| flaw.of(&format!("sampler {sampler}"));
    document
        .flaws
        .check(format_args!("sampler {sampler} of animation {animation}"))
        .and_then(|()| check(&animated.samplers[sampler], root, |_, _| false))
        .map_err(flawed)
}

/// # Errors
/// The first flaw of a skin.
pub fn skin(document: &Document, index: usize) -> Result<(), Flaw> {
    let root = document.json();
    let flawed = |flaw: Flaw| flaw.of(&format!("skin {index}"));
    document
        .flaws
        .check(format_args!("skin {index}"))
        .and_then(|()| check(&root.skins[index], root, |path, _| path == "skeleton"))
        .map_err(flawed)
}

/// # Errors
/// If there is no part of that number.
pub fn within<T>(count: usize, index: Index<T>, noun: &str, names: &str) -> Result<(), Flaw> {
    if index.value() < count {
        return Ok(());
    }
    Err(format!("{names} {noun} {}, which is not there", index.value()).into())
}

/// The gltf crate's own check of a part, but for what does not matter here.
fn check(
    part: &impl Validate,
    root: &Root,
    is_harmless: impl Fn(&str, Error) -> bool,
) -> Result<(), Flaw> {
    let mut first = None;
    let mut report = |path: &dyn Fn() -> Path, flaw: Error| {
        let path = path();
        // What an extension would add is not used.
        if first.is_none() && flaw != Error::Unsupported && !is_harmless(path.as_str(), flaw) {
            first = Some(format!("{path}: {}", flaw.to_string().to_lowercase()));
        }
    };
    part.validate(root, Path::new, &mut report);
    first.map_or(Ok(()), |why| Err(why.into()))
}
