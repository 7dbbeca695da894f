//! Animation channels that move something that glTF 2.0 itself does not name
//! (KHR_animation_pointer): the gltf crate would refuse the whole file for them.

use std::borrow::Cow;

use serde_json::{Error, Value};

const KNOWN: [&str; 4] = ["translation", "rotation", "scale", "weights"];

/// The JSON without those channels, and a finding for each animation that had some.
pub fn leave_out(json: Cow<'_, [u8]>) -> Result<(Cow<'_, [u8]>, Vec<String>), Error> {
    let mut root: Value = serde_json::from_slice(&json)?;
    let mut findings = Vec::new();
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    for (index, animation) in animations.into_iter().flatten().enumerate() {
        let name =
            animation["name"].as_str().map_or_else(|| format!("animation {index}"), Into::into);
        let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) else {
            continue;
        };
        let all = channels.len();
        channels.retain(is_known);
        let left_out = all - channels.len();
        if left_out > 0 {
            findings.push(format!(
                "{left_out} of {all} channels of \"{name}\" move what is no node, and are left out"
            ));
        }
    }
    // As it was written where nothing is left out, so that errors name the right line.
    let json = if findings.is_empty() { json } else { root.to_string().into_bytes().into() };
    Ok((json, findings))
}

/// What has no target object at all is malformed, which the gltf crate tells better.
fn is_known(channel: &Value) -> bool {
    let Some(target) = channel["target"].as_object() else { return true };
    let path = target.get("path").and_then(Value::as_str);
    target.contains_key("node") && path.is_none_or(|path| KNOWN.contains(&path))
}
