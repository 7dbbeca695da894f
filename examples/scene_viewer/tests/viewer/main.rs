//! The viewer, from the command line to the page: its own scene, and files that are broken in every
//! way.

mod broken;
mod doubtful;
mod drawn;
mod files;
mod fuzzed;
mod instances;
mod odd;
mod played;
mod shipped;
mod sights;
#[path = "../../../../src/engine/storage/tests/soak.rs"]
mod soak;
mod strip;

use std::process::Command;

use files::{Folder, edited, shown, swinging};
use scene_viewer::command::{self, Report};

#[test]
fn the_walker_becomes_a_page() {
    let folder = Folder::new("walker");
    let summary = folder.view(&[]).unwrap();
    assert!(
        summary.nodes > 250 && summary.depth >= 10,
        "{} nodes, depth {}",
        summary.nodes,
        summary.depth
    );
    assert_eq!(
        (summary.animations, summary.frames),
        (1, 12 * 30 + 2),
        "every key frame, and the rest pose"
    );
    assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    let page = folder.page();
    assert_eq!(page.len(), summary.page_bytes);
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    for wanted in ["right leg 1 tibia", "second hand", "<canvas", "</html>"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    for unwanted in ["http://", "https://", "{{", "src="] {
        assert!(!page.contains(unwanted), "{unwanted}: the page has to stand alone");
    }
    let text = Report::Page(Box::new(summary)).to_string();
    assert!(text.starts_with("walker.gltf: ") && text.contains("s a frame"), "{text}");
}

#[test]
fn a_file_becomes_a_page_as_text_and_as_binary() {
    let folder = Folder::new("formats");
    let (json, bytes) = swinging();
    let text = folder.write_json("swing.gltf", &json, &bytes);
    let binary = folder.write_glb("swing.glb", &json, &bytes);
    let beside = folder.write_json("beside.gltf", &json, &[]);
    folder.name_buffer(&beside, "a buffer.bin", "a%20buffer.bin", &bytes);
    for path in [text, binary, beside] {
        let summary = folder.view(&[&path]).unwrap();
        assert_eq!((summary.nodes, summary.depth, summary.animations), (3, 2, 1));
        // Two seconds, thirty a second, both ends, and the rest pose.
        assert_eq!(summary.frames, 62);
        assert!(summary.findings.is_empty(), "{:?}", summary.findings);
    }
}

#[test]
fn a_page_of_hostile_names_is_still_a_page() {
    let folder = Folder::new("names");
    let edits =
        r#"/nodes/0/name = "</script><script>alert(1)</script>" ; /nodes/1/name = "{{DATA}}""#;
    let (json, bytes) = edited(swinging(), edits);
    let path = folder.write_json("<b>&.gltf", &json, &bytes);
    folder.view(&[&path]).unwrap();
    let page = folder.page();
    assert!(!page.contains("<script>alert") && page.contains("\\u003c/script>"));
    assert!(page.contains("<title>&lt;b&gt;&amp;.gltf</title>"));
}

#[test]
fn an_animation_of_a_year_is_thinned_out() {
    let (summary, _) = shown("long", swinging(), "f32 8 = 3.15e7");
    assert_eq!(summary.frames, 3001);
    assert!(summary.findings[0].contains("is long"), "{:?}", summary.findings);
}

#[test]
fn one_scene_of_several_is_shown() {
    let folder = Folder::new("scenes");
    let edits =
        r#"/nodes/3 = { "name": "other" } ; /scenes = [{ "nodes": [0] }, { "nodes": [3] }]"#;
    let (json, bytes) = edited(swinging(), edits);
    let path = folder.write_json("scenes.gltf", &json, &bytes);
    assert_eq!(folder.view(&["--scene", "0", &path]).unwrap().nodes, 3);
    let other = folder.view(&["--scene", "1", &path]).unwrap();
    assert_eq!((other.nodes, other.animations), (1, 0));
    // Without a choice by the file or the user, all nodes are shown.
    assert_eq!(folder.view(&[&path]).unwrap().nodes, 4);
    let error = folder.view(&["--scene", "2", &path]).unwrap_err().to_string();
    assert!(error.contains("no scene 2"), "{error}");
}

#[test]
fn help_is_given() {
    let report = command::run(["-h".into()].into_iter()).unwrap();
    assert!(matches!(report, Report::Help));
    assert!(report.to_string().contains("Usage: scene_viewer"));
}

/// The command of the README, as a program.
#[test]
fn the_program_writes_a_page_or_says_why_not() {
    let folder = Folder::new("program");
    let run = |arguments: &[&str]| {
        let program = Command::new(env!("CARGO_BIN_EXE_scene_viewer")).args(arguments).output();
        let output = program.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let page = folder.path("page.html");
    let (is_done, text, errors) = run(&["--fps", "1", "--output", &page]);
    assert!(is_done && errors.is_empty() && text.contains(&page), "{text} {errors}");
    assert!(folder.page().ends_with("</html>\n"));
    let (is_done, text, errors) = run(&["nowhere.gltf"]);
    assert!(!is_done && text.is_empty() && errors.contains("cannot read nowhere.gltf"), "{errors}");
}
