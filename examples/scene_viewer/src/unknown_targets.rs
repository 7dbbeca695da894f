//! Animation channels that move something that glTF 2.0 itself does not name
//! (KHR_animation_pointer): the gltf crate would refuse the whole file for them.

use serde_json::Value;

use super::{names, words::counted};

const KNOWN: [&str; 4] = ["translation", "rotation", "scale", "weights"];

/// Takes those channels out, and returns a finding for each animation that had some.
pub fn leave_out(root: &mut Value) -> Vec<String> {
    let mut findings = Vec::new();
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    for (index, animation) in animations.into_iter().flatten().enumerate() {
        let name = names::name(animation["name"].as_str(), "animation", index);
        let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) else {
            continue;
        };
        let all = channels.len();
        channels.retain(is_known);
        let left_out = all - channels.len();
        if left_out > 0 {
            let all = counted(all, "channel");
            findings.push(format!(
                "left out of \"{name}\": {left_out} of {all}, for moving what is no node"
            ));
        }
    }
    findings
}

/// What has no target object at all is malformed, which the gltf crate tells better.
fn is_known(channel: &Value) -> bool {
    let Some(target) = channel["target"].as_object() else { return true };
    let path = target.get("path").and_then(Value::as_str);
    target.contains_key("node") && path.is_none_or(|path| KNOWN.contains(&path))
}
