//! Animation channels out of accessors that are not checked yet. A channel that is broken is left
//! out, with a finding.

use gltf::{
    accessor::{DataType, Dimensions},
    animation::{Channel, Interpolation as Mode, Property, util::ReadOutputs},
};

use super::{
    accessors::check,
    document::Document,
    findings::{Findings, Flaw},
    morph, names,
    sample::{Animation, Interpolation, Keys, Track},
    sound,
    words::counted,
};

/// `new_index` says which nodes are shown, and as which.
pub fn animations(
    document: &Document,
    new_index: &[Option<usize>],
    findings: &mut Findings,
) -> Vec<Animation> {
    let mut animations = Vec::new();
    for animation in document.gltf.animations() {
        let name = names::name(animation.name(), "animation", animation.index());
        let mut tracks = Vec::new();
        for (i, channel) in animation.channels().enumerate() {
            let track = sound::channel(document, animation.index(), i).and_then(|()| {
                // A node of another scene has nothing to move here.
                let node = new_index[channel.target().node().index()];
                node.map(|node| track(document, &channel, node)).transpose()
            });
            match track {
                Ok(track) => tracks.extend(track),
                Err(flaw) => {
                    findings.leave_out("channel", &format!("channel {i} of \"{name}\""), flaw)
                }
            }
        }
        if !tracks.is_empty() {
            animations.push(Animation { name, tracks });
        }
    }
    animations
}

fn track(document: &Document, channel: &Channel<'_>, node: usize) -> Result<Track, Flaw> {
    const FLOATS: &[DataType] = &[DataType::F32];
    const FRACTIONS: &[DataType] =
        &[DataType::F32, DataType::I8, DataType::U8, DataType::I16, DataType::U16];
    let sampler = channel.sampler();
    let (input, output) = (sampler.input(), sampler.output());
    let (dimensions, types) = match channel.target().property() {
        Property::Translation | Property::Scale => (Dimensions::Vec3, FLOATS),
        Property::Rotation => (Dimensions::Vec4, FRACTIONS),
        Property::MorphTargetWeights => (Dimensions::Scalar, FRACTIONS),
    };
    check(document, &input, Dimensions::Scalar, FLOATS).map_err(|flaw| flaw.of("its times"))?;
    check(document, &output, dimensions, types).map_err(|flaw| flaw.of("its values"))?;

    let reader = channel.reader(|buffer| document.bytes(buffer.index()));
    let times: Vec<f32> = reader.read_inputs().ok_or("its times cannot be read")?.collect();
    check_times(&times)?;
    let interpolation = match sampler.interpolation() {
        Mode::Step => Interpolation::Step,
        Mode::Linear => Interpolation::Linear,
        Mode::CubicSpline => Interpolation::CubicSpline,
    };
    let expected = times.len() * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let keys = match reader.read_outputs().ok_or("its values cannot be read")? {
        ReadOutputs::Translations(values) => Keys::Translation(finite(values, expected)?),
        ReadOutputs::Rotations(values) => Keys::Rotation(finite(values.into_f32(), expected)?),
        ReadOutputs::Scales(values) => Keys::Scale(finite(values, expected)?),
        ReadOutputs::MorphTargetWeights(values) => {
            let targets = morph::targets_of(document, &channel.target().node());
            if targets == 0 {
                return Err("it moves morph targets, and its node has none".into());
            }
            let values = finite(values.into_f32().map(|weight| [weight]), expected * targets)?;
            Keys::Weights(
                (0..targets)
                    .map(|t| values.iter().copied().skip(t).step_by(targets).collect())
                    .collect(),
            )
        }
    };
    Ok(Track { node, times, interpolation, keys })
}

fn finite<const N: usize>(
    values: impl Iterator<Item = [f32; N]>,
    expected: usize,
) -> Result<Vec<[f32; N]>, Flaw> {
    let values: Vec<_> = values.collect();
    if values.len() != expected {
        let there = counted(values.len(), "value");
        return Err(format!("it has {there}, and {expected} belong to its times").into());
    }
    match values.iter().position(|value| !value.iter().all(|x| x.is_finite())) {
        Some(key) => Err(format!("value {key} holds an infinity or NaN").into()),
        None => Ok(values),
    }
}

fn check_times(times: &[f32]) -> Result<(), Flaw> {
    if times.is_empty() {
        return Err("it has no keys".into());
    }
    if let Some(key) = times.iter().position(|time| !(time.is_finite() && *time >= 0.0)) {
        return Err(
            format!("time {key} is {}, and should be finite and not negative", times[key]).into()
        );
    }
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(key) => Err(format!("time {} is not after the one before it", key + 1).into()),
        None => Ok(()),
    }
}
