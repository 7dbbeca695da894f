//! The page around a scene: markup, style and script, which stand in files of their own.

use serde_json::Value;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/scene.js"),
    include_str!("page/numbers.js"),
    include_str!("page/state.js"),
    include_str!("page/play.js"),
    include_str!("page/camera.js"),
    include_str!("page/framing.js"),
    include_str!("page/shaders.js"),
    include_str!("page/geometry.js"),
    include_str!("page/meshes.js"),
    include_str!("page/bounds.js"),
    include_str!("page/boxes.js"),
    include_str!("page/overlay.js"),
    include_str!("page/labels.js"),
    include_str!("page/draw.js"),
    include_str!("page/address.js"),
    include_str!("page/parts.js"),
    include_str!("page/info.js"),
    include_str!("page/copy.js"),
    include_str!("page/tree.js"),
    include_str!("page/pointer.js"),
    include_str!("page/keys.js"),
    include_str!("page/bar.js"),
    include_str!("page/notes.js"),
    include_str!("page/drop.js"),
    include_str!("page/offer.js"),
    include_str!("page/start.js"),
);

/// A page that stands alone.
pub fn fill(title: &str, data: &Value) -> String {
    let escaped = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Inside a script element only `<` can do harm, and in JSON it stands in strings only.
    let data = data.to_string().replace('<', "\\u003c");
    // Cut once, in this order: what is put in is not searched for more.
    let mut page =
        String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + data.len() + 100);
    let mut rest = TEMPLATE;
    for (place, text) in [
        ("{{TITLE}}", escaped.as_str()),
        ("{{STYLE}}", STYLE),
        ("{{DATA}}", &data),
        ("{{SCRIPT}}", SCRIPT),
    ] {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}
