//! Files cut off anywhere and changed anywhere: an error or a page, never a panic.

use proptest::{prelude::*, sample::Index};

use serde_json::Value;

use crate::{
    files::{Folder, glb, swinging},
    instances::places,
    strip::strip_with_embedded_image,
};

/// With animations alone, with everything that is drawn, and with one mesh in many places.
fn files() -> [(Value, Vec<u8>); 3] {
    [swinging(), strip_with_embedded_image(), places()]
}

#[test]
fn a_binary_cut_off_anywhere_is_an_error() {
    let folder = Folder::new("cut");
    for (json, bytes) in files() {
        let whole = glb(&json, &bytes);
        for length in 0..whole.len() {
            let path = folder.write("cut.glb", &whole[..length]);
            assert!(folder.view(&[&path]).is_err(), "{length} of {} bytes", whole.len());
        }
        assert!(folder.view(&[&folder.write("whole.glb", &whole)]).is_ok());
    }
}

#[test]
fn a_text_cut_off_anywhere_is_an_error() {
    let folder = Folder::new("cut text");
    let (json, _) = swinging();
    let whole = json.to_string();
    for length in 0..whole.len() {
        let path = folder.write("cut.gltf", &whole.as_bytes()[..length]);
        assert!(folder.view(&[&path]).is_err(), "{length} of {} bytes", whole.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_binary_changed_anywhere_does_not_panic(
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
        which in 0..3_usize,
    ) {
        let folder = Folder::new("changed");
        let (json, bytes) = files()[which].clone();
        let mut file = glb(&json, &bytes);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        let _ = folder.view(&["--fps", "1", &folder.write("changed.glb", &file)]);
    }

    /// Digits only, so that the JSON stays valid and its numbers do not.
    #[test]
    fn numbers_changed_anywhere_do_not_panic(
        changes in prop::collection::vec((any::<Index>(), 0..10_u8), 1..4),
        which in 0..3_usize,
    ) {
        let folder = Folder::new("digits");
        let (json, bytes) = files()[which].clone();
        let mut file = glb(&json, &bytes);
        let digits: Vec<usize> =
            (20..file.len() - bytes.len()).filter(|&i| file[i].is_ascii_digit()).collect();
        for (at, digit) in changes {
            file[digits[at.index(digits.len())]] = b'0' + digit;
        }
        let _ = folder.view(&["--fps", "1", &folder.write("digits.glb", &file)]);
    }
}
