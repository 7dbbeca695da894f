//! Cameras and lights are components of their nodes' entities, and stand where their nodes do.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

use legion::IntoQuery;
use legion_transform::components::LocalToWorld;
use nalgebra::Vector3;
use scene_viewer::{
    command::stage::Stage,
    document,
    model::Model,
    sights::{Camera, Light, LightKind},
};
use serde_json::{Value, json};

use crate::files::{Case, cases};

/// A camera and a spot on an arm that stands at x = 2 and looks along the world's x axis.
fn file() -> Value {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensionsRequired": ["KHR_lights_punctual"],
        "extensions": { "KHR_lights_punctual": { "lights": [
            { "type": "spot", "color": [1, 0.5, 0], "intensity": 40, "range": 9, "spot": {} },
            { "type": "directional" },
        ] } },
        "cameras": [{ "type": "perspective", "perspective": { "yfov": FRAC_PI_2, "znear": 0.1 } }],
        "nodes": [
            // A quarter turn about y, clockwise from above, takes -z to x.
            { "translation": [2, 0, 0], "rotation": [0, -half, 0, half], "children": [1, 2] },
            { "camera": 0, "translation": [0, 1, 0] },
            { "extensions": { "KHR_lights_punctual": { "light": 0 } } },
            { "camera": 0, "extensions": { "KHR_lights_punctual": { "light": 1 } } },
        ],
    })
}

fn model(json: &Value) -> Model {
    let document = document::parse(json.to_string().as_bytes(), "sights", document::alone());
    Model::new(&document.unwrap(), None).unwrap()
}

#[test]
fn they_are_components_that_the_run_places() {
    let model = model(&file());
    assert!(model.findings.is_empty(), "{:?}", model.findings);
    let mut stage = Stage::new(&model).unwrap();
    stage.run();
    let mut cameras = <(&Camera, &LocalToWorld)>::query();
    let mut eyes: Vec<_> = cameras.iter(stage.world()).collect();
    eyes.sort_by(|(_, a), (_, b)| b.position().x.total_cmp(&a.position().x));
    assert_eq!(eyes.len(), 2);
    let (camera, at) = eyes[0];
    assert_eq!(*camera, Camera::Perspective { height: FRAC_PI_2, near: 0.1, far: None });
    // Its view takes what lies 3 m before it, at (5, 1, 0), to z = -3.
    let view = at.inverse().unwrap().0;
    let seen = view.transform_point(&nalgebra::Point3::new(5.0, 1.0, 0.0));
    assert!((seen.coords - Vector3::new(0.0, 0.0, -3.0)).amax() < 1e-6, "{seen}");

    let mut lights = <(&Light, &LocalToWorld)>::query();
    let spots = lights.iter(stage.world()).filter(|(light, _)| light.range.is_some());
    let [(light, at)] = spots.collect::<Vec<_>>()[..] else { panic!("one spot") };
    let kind = LightKind::Spot { inner: 0.0, outer: FRAC_PI_4 };
    assert_eq!(*light, Light { kind, color: [1.0, 0.5, 0.0], intensity: 40.0, range: Some(9.0) });
    let beam = -at.0.column(2).xyz();
    assert!((beam - Vector3::x()).amax() < 1e-6, "{beam}");
}

#[test]
fn they_are_named_in_the_page() {
    let page = scene_viewer::describe::describe(&model(&file()));
    assert_eq!(page["kinds"], "nclc");
    let expected = json!([
        [1, "camera", "perspective, 90.0° high"],
        [2, "light", "spot, 90.0° wide, 40 cd"],
        [3, "camera", "perspective, 90.0° high"],
        [3, "light", "directional, 1 lx"],
    ]);
    assert_eq!(page["sights"], expected);
}

#[test]
fn what_cannot_be_read_is_left_out_alone() {
    let table = r#"
/nodes/1/camera = 5 -> the camera of node 1 is left out: there is
/nodes/1/camera = "main" -> there is no "main"
/cameras/0/type = "fisheye" -> no type "fisheye"
/cameras/0/perspective/yfov = 0 -> its yfov is 0
/cameras/0/perspective/znear = -1 -> its znear is -1
/nodes/2/extensions/KHR_lights_punctual/light = 7
    -> the light of node 2 is left out: there is no 7
/extensions/KHR_lights_punctual/lights/0/intensity = "bright" -> its intensity is "bright"
/extensions/KHR_lights_punctual/lights/0/type = null -> a light has no type null
"#;
    for Case { line, json, expected, .. } in cases(table, &(file(), Vec::new())) {
        let model = model(&json);
        assert_eq!(model.scene.nodes.len(), 4, "{line}");
        let findings = &model.findings;
        assert!(findings.iter().any(|found| found.contains(expected)), "{line}: {findings:?}");
    }
}
