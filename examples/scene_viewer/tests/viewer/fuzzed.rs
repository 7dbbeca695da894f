//! Files cut off anywhere and changed anywhere: an error or a page, never a panic.

use fastrand::Rng;
use scene_viewer::{ViewerError, command::stage::Stage, document, model::Model};
use serde_json::Value;

use crate::{
    files::{glb, swinging},
    instances::places,
    odd,
    played::play,
    soak::each_seed,
    strip::strip_with_embedded_image,
};

/// With animations alone, with everything that is drawn, and with one mesh in many places.
fn files() -> [(Value, Vec<u8>); 3] {
    [swinging(), strip_with_embedded_image(), places()]
}

#[test]
fn a_binary_cut_off_anywhere_is_an_error() {
    for (json, bytes) in files() {
        let whole = glb(&json, &bytes);
        for length in 0..whole.len() {
            assert!(load(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
        }
        assert!(load(&whole).is_ok());
    }
}

#[test]
fn a_text_cut_off_anywhere_is_an_error() {
    let (json, _) = swinging();
    let whole = json.to_string();
    for length in 0..whole.len() {
        assert!(load(&whole.as_bytes()[..length]).is_err(), "{length} of {} bytes", whole.len());
    }
}

fn load(bytes: &[u8]) -> Result<(Stage, Model), ViewerError> {
    let document = document::parse(bytes, "a file", document::alone())?;
    let model = Model::new(&document, None)?;
    Ok((Stage::new(&model)?, model))
}

/// Loads, plays and packs it. What is refused or left out must be named.
fn show(bytes: &[u8]) {
    let names_a_part = |text: &str| {
        let places = ["line ", "GLB", "asset.", "its JSON", "node ", "requires "];
        text.chars().any(|c| c.is_ascii_digit() || c == '"')
            || places.iter().any(|p| text.contains(p))
    };
    let (mut stage, model) = match load(bytes) {
        Ok(loaded) => loaded,
        Err(error) => {
            let error = error.to_string();
            return assert!(error.contains("a file") && names_a_part(&error), "{error}");
        }
    };
    for finding in &model.findings {
        assert!(names_a_part(finding), "{finding}");
    }
    play(&model, &mut stage);
}

/// Files of this folder's tests, and now and then the shipped one, which is large.
fn any_file(random: &mut Rng) -> Vec<u8> {
    match random.usize(..100) {
        0 => include_bytes!("../../scenes/walker.gltf").to_vec(),
        1..50 => {
            let (json, bytes) = &files()[random.usize(..3)];
            glb(json, bytes)
        }
        _ => odd::CASES[random.usize(..odd::CASES.len())].read(),
    }
}

#[test]
fn bytes_and_digits_changed_anywhere_do_not_panic() {
    each_seed(500, |seed| {
        let random = &mut Rng::with_seed(seed);
        let mut file = any_file(random);
        let digits: Vec<usize> = (0..file.len()).filter(|&i| file[i].is_ascii_digit()).collect();
        let is_digit = random.usize(..2) == 0;
        for _ in 0..1 + random.usize(..4) {
            // Digits only, so that the JSON stays valid and its numbers do not.
            if is_digit {
                file[digits[random.usize(..digits.len())]] = b'0' + random.usize(..10) as u8;
            } else {
                let at = random.usize(..file.len());
                file[at] = random.usize(..256) as u8;
            }
        }
        show(&file);
    });
}

#[test]
fn parts_that_are_gone_or_something_else_do_not_panic() {
    each_seed(500, |seed| {
        let random = &mut Rng::with_seed(seed);
        let (mut json, bytes) = files()[random.usize(..3)].clone();
        for _ in 0..1 + random.usize(..3) {
            damage(&mut json, random);
        }
        show(&glb(&json, &bytes));
    });
}

/// Goes down to any part, takes it away or puts something else in its place.
fn damage(part: &mut Value, random: &mut Rng) {
    let stops = random.usize(..8) == 0;
    match part {
        Value::Object(fields) if !stops && !fields.is_empty() => {
            let key = fields.keys().nth(random.usize(..fields.len())).cloned().unwrap();
            if random.usize(..12) == 0 {
                fields.remove(&key);
            } else {
                damage(&mut fields[&key], random);
            }
        }
        Value::Array(parts) if !stops && !parts.is_empty() => {
            let at = random.usize(..parts.len());
            match random.usize(..12) {
                0 => drop(parts.remove(at)),
                1 => parts.push(parts[at].clone()),
                _ => damage(&mut parts[at], random),
            }
        }
        _ => *part = strange(random),
    }
}

fn strange(random: &mut Rng) -> Value {
    const VALUES: &str = r#"[
        null, true, 0, 1, 2, -1, 0.5, 1e39, 5123, 5126, 4294967295, 18446744073709551615,
        "VEC3", "weights", "\ufeff", [], [0, 1, 1], {}
    ]"#;
    let values: Vec<Value> = serde_json::from_str(VALUES).unwrap();
    values[random.usize(..values.len())].clone()
}
