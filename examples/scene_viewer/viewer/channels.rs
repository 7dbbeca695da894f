//! Animation channels out of accessors that nobody has checked yet. A channel that is broken is left out, with a finding.

use gltf::{
    Accessor,
    accessor::{DataType, Dimensions, sparse::IndexType},
    animation::{Channel, Interpolation as Mode, Property, util::ReadOutputs},
    buffer::View,
};

use super::{
    document::Document,
    sample::{Animation, Interpolation, Keys, Track},
};

/// `new_index` says which nodes are shown, and as which.
pub fn animations(document: &Document, new_index: &[Option<usize>], findings: &mut Vec<String>) -> Vec<Animation> {
    let mut animations = Vec::new();
    for animation in document.gltf.animations() {
        let name = animation.name().map_or_else(|| format!("animation {}", animation.index()), Into::into);
        let mut tracks = Vec::new();
        for (i, channel) in animation.channels().enumerate() {
            // A node of another scene has nothing to move here.
            let Some(node) = new_index[channel.target().node().index()] else { continue };
            match track(document, &channel, node) {
                Ok(track) => tracks.push(track),
                Err(why) => findings.push(format!("channel {i} of \"{name}\" is left out: {why}")),
            }
        }
        if !tracks.is_empty() {
            animations.push(Animation { name, tracks });
        }
    }
    animations
}

fn track(document: &Document, channel: &Channel<'_>, node: usize) -> Result<Track, String> {
    let sampler = channel.sampler();
    let (input, output) = (sampler.input(), sampler.output());
    let (dimensions, types): (_, &[DataType]) = match channel.target().property() {
        Property::Translation | Property::Scale => (Dimensions::Vec3, &[DataType::F32]),
        Property::Rotation => (Dimensions::Vec4, &[DataType::F32, DataType::I8, DataType::U8, DataType::I16, DataType::U16]),
        Property::MorphTargetWeights => return Err("it moves morph targets, which have no place in a hierarchy".into()),
    };
    check(document, &input, Dimensions::Scalar, &[DataType::F32]).map_err(|why| format!("its times: {why}"))?;
    check(document, &output, dimensions, types).map_err(|why| format!("its values: {why}"))?;

    let reader = channel.reader(|buffer| document.buffers.get(buffer.index())?.as_deref().ok());
    let times: Vec<f32> = reader.read_inputs().ok_or("its times cannot be read")?.collect();
    let keys = match reader.read_outputs().ok_or("its values cannot be read")? {
        ReadOutputs::Translations(values) => Keys::Translation(finite(values)?),
        ReadOutputs::Rotations(values) => Keys::Rotation(finite(values.into_f32())?),
        ReadOutputs::Scales(values) => Keys::Scale(finite(values)?),
        ReadOutputs::MorphTargetWeights(_) => return Err("it moves morph targets".into()),
    };
    let interpolation = match sampler.interpolation() {
        Mode::Step => Interpolation::Step,
        Mode::Linear => Interpolation::Linear,
        Mode::CubicSpline => Interpolation::CubicSpline,
    };
    check_times(&times)?;
    let expected = times.len() * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let given = match &keys {
        Keys::Translation(values) | Keys::Scale(values) => values.len(),
        Keys::Rotation(values) => values.len(),
    };
    if given != expected {
        return Err(format!("it has {} times and {given} values, where {expected} belong to them", times.len()));
    }
    Ok(Track { node, times, interpolation, keys })
}

fn finite<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Result<Vec<[f32; N]>, String> {
    let values: Vec<_> = values.collect();
    match values.iter().position(|value| !value.iter().all(|x| x.is_finite())) {
        Some(key) => Err(format!("value {key} holds an infinity or NaN")),
        None => Ok(values),
    }
}

fn check_times(times: &[f32]) -> Result<(), String> {
    if times.is_empty() {
        return Err("it has no keys".into());
    }
    if let Some(key) = times.iter().position(|time| !(time.is_finite() && *time >= 0.0)) {
        return Err(format!("time {key} is {}, and should be finite and not negative", times[key]));
    }
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(key) => Err(format!("time {} is not after the one before it", key + 1)),
        None => Ok(()),
    }
}

/// What the gltf crate takes for granted when it reads an accessor.
fn check(document: &Document, accessor: &Accessor<'_>, dimensions: Dimensions, types: &[DataType]) -> Result<(), String> {
    let index = accessor.index();
    if accessor.dimensions() != dimensions || !types.contains(&accessor.data_type()) {
        return Err(format!("accessor {index} holds {:?} {:?}", accessor.data_type(), accessor.dimensions()));
    }
    let (count, size) = (accessor.count(), accessor.size());
    if count == 0 {
        return Err(format!("accessor {index} is empty"));
    }
    match (accessor.view(), accessor.sparse()) {
        (None, None) => return Err(format!("accessor {index} has no data")),
        (Some(view), _) => fits(document, &view, accessor.offset(), count, size)?,
        // Zeros, but for the sparse ones: believed up to a size that no animation has.
        (None, Some(_)) if count > 1 << 24 => return Err(format!("accessor {index} has {count} elements")),
        (None, Some(_)) => {}
    }
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let index_size = match indices.index_type() {
            IndexType::U8 => 1,
            IndexType::U16 => 2,
            IndexType::U32 => 4,
        };
        if sparse.count() == 0 || sparse.count() > count {
            return Err(format!("accessor {index} replaces {} of {count} elements", sparse.count()));
        }
        fits(document, &indices.view(), indices.offset(), sparse.count(), index_size)?;
        fits(document, &values.view(), values.offset(), sparse.count(), size)?;
    }
    Ok(())
}

/// Whether `count` elements of `size` bytes are there.
fn fits(document: &Document, view: &View<'_>, offset: usize, count: usize, size: usize) -> Result<(), String> {
    let buffer = view.buffer().index();
    let bytes = match document.buffers.get(buffer) {
        Some(Ok(bytes)) => bytes.len(),
        Some(Err(why)) => return Err(format!("buffer {buffer} is missing: {why}")),
        None => return Err(format!("there is no buffer {buffer}")),
    };
    let stride = view.stride().unwrap_or(size);
    if stride < size {
        return Err(format!("its elements overlap in buffer view {}", view.index()));
    }
    let needed = || offset.checked_add(count.checked_sub(1)?.checked_mul(stride)?)?.checked_add(size);
    let view_end = view.offset().checked_add(view.length());
    match (needed(), view_end) {
        (Some(needed), Some(end)) if needed <= view.length() && end <= bytes => Ok(()),
        _ => Err(format!("it reaches beyond buffer view {} or buffer {buffer}", view.index())),
    }
}
