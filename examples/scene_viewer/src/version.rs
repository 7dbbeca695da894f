//! The version of glTF that a file is written in, before anything else of it is believed.

use serde_json::Value;

/// Versions are told apart by their first number, so 2.1 is read as 2.0, unless the file itself
/// asks for more. One that is not given is taken for 2.0, with a finding.
///
/// # Errors
/// What to do about a file of another version.
pub fn check(root: &Value) -> Result<Vec<String>, String> {
    let text = |key| root["asset"][key].as_str();
    if let Some(minimum) = text("minVersion")
        && numbers(minimum).is_none_or(|minimum| minimum > (2, 0))
    {
        return Err(format!(
            "it asks for a reader of glTF {minimum:?} (asset.minVersion), and this one reads 2.0: \
             export it again as glTF 2.0"
        ));
    }
    match text("version") {
        Some(version) if numbers(version).is_none_or(|(major, _)| major != 2) => Err(format!(
            "it is of version {version:?} (asset.version), and glTF 2.0 is read here: export it \
             again as glTF 2.0"
        )),
        Some(_) => Ok(Vec::new()),
        None => Ok(vec!["it does not say its version (asset.version): read as glTF 2.0".into()]),
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}
