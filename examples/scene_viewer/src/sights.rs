//! Cameras and lights (`KHR_lights_punctual`) of a file. They are components of their nodes'
//! entities, and the crate places them as it places everything: a camera looks, and a light shines,
//! along the negative z axis of its `LocalToWorld`. The inverse of a camera's matrix is its view.

use std::fmt;

use serde_json::Value;

use super::{findings::Flaw, names};

/// How a camera sees. Lengths are in metres, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// `height` is the angle from the lower edge to the upper one.
    Perspective { height: f32, near: f32, far: Option<f32> },
    /// Half of the width and of the height that it sees.
    Orthographic { half: [f32; 2], near: f32, far: f32 },
}

/// A light without extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    pub kind: LightKind,
    /// Red, green and blue, linear.
    pub color: [f32; 3],
    /// In candela; of a directional light in lux.
    pub intensity: f32,
    /// In metres: what is farther is not lit.
    pub range: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    Directional,
    Point,
    /// Radians from the axis, up to which it is full, and from which on it is none.
    Spot {
        inner: f32,
        outer: f32,
    },
}

/// Of a node.
pub struct Sight {
    pub node: usize,
    pub camera: Option<Camera>,
    pub light: Option<Light>,
}

/// The nodes that have a camera or a light, and a finding for each that is left out.
pub fn find(root: &Value) -> (Vec<Sight>, Vec<String>) {
    let (mut sights, mut findings) = (Vec::new(), Vec::new());
    let lights = &root["extensions"]["KHR_lights_punctual"]["lights"];
    for (node, json) in root["nodes"].as_array().into_iter().flatten().enumerate() {
        let extension = &json["extensions"]["KHR_lights_punctual"];
        let mut told = |what: &str, flaw: Flaw| {
            let Flaw::Because(why) = flaw else { return };
            let who = names::described("node", node, json["name"].as_str());
            findings.push(format!("the {what} of {who} is left out: {why}"));
        };
        let camera = part(&json["camera"], &root["cameras"], camera);
        let camera = camera.map_err(|flaw| told("camera", flaw)).unwrap_or(None);
        let light = part(&extension["light"], lights, light);
        let light = light.map_err(|flaw| told("light", flaw)).unwrap_or(None);
        if camera.is_some() || light.is_some() {
            sights.push(Sight { node, camera, light });
        }
    }
    (sights, findings)
}

/// What is made of the part of that number; `None` where no number is given.
fn part<T>(
    number: &Value,
    parts: &Value,
    make: fn(&Value) -> Result<T, Flaw>,
) -> Result<Option<T>, Flaw> {
    if number.is_null() {
        return Ok(None);
    }
    let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
    let found = index.and_then(|index| parts.as_array()?.get(index));
    make(found.ok_or_else(|| format!("there is no {number}"))?).map(Some)
}

fn camera(json: &Value) -> Result<Camera, Flaw> {
    match json["type"].as_str() {
        Some("perspective") => {
            let json = &json["perspective"];
            Ok(Camera::Perspective {
                height: positive(json, "yfov")?,
                near: positive(json, "znear")?,
                far: optional(json, "zfar")?,
            })
        }
        Some("orthographic") => {
            let json = &json["orthographic"];
            Ok(Camera::Orthographic {
                half: [positive(json, "xmag")?, positive(json, "ymag")?],
                near: not_negative(json, "znear", None)?,
                far: positive(json, "zfar")?,
            })
        }
        _ => Err(format!("a camera has no type {}", json["type"]).into()),
    }
}

fn light(json: &Value) -> Result<Light, Flaw> {
    let kind = match json["type"].as_str() {
        Some("directional") => LightKind::Directional,
        Some("point") => LightKind::Point,
        Some("spot") => {
            let angle = |key, usual| not_negative(&json["spot"], key, Some(usual));
            LightKind::Spot {
                inner: angle("innerConeAngle", 0.0)?,
                outer: angle("outerConeAngle", std::f32::consts::FRAC_PI_4)?,
            }
        }
        _ => return Err(format!("a light has no type {}", json["type"]).into()),
    };
    let mut color = [1.0; 3];
    if let Some(given) = json["color"].as_array() {
        for (own, given) in color.iter_mut().zip(given) {
            *own = number(given).ok_or("its color is not three numbers")?;
        }
    }
    let intensity = not_negative(json, "intensity", Some(1.0))?;
    Ok(Light { kind, color, intensity, range: optional(json, "range")? })
}

fn number(json: &Value) -> Option<f32> {
    json.as_f64().map(|x| x as f32).filter(|x| x.is_finite())
}

fn not_negative(json: &Value, key: &str, usual: Option<f32>) -> Result<f32, Flaw> {
    let given = match &json[key] {
        Value::Null => usual,
        given => number(given).filter(|&x| x >= 0.0),
    };
    given.ok_or_else(|| format!("its {key} is {}", json[key]).into())
}

fn positive(json: &Value, key: &str) -> Result<f32, Flaw> {
    let given = not_negative(json, key, None)?;
    if given > 0.0 { Ok(given) } else { Err(format!("its {key} is 0").into()) }
}

fn optional(json: &Value, key: &str) -> Result<Option<f32>, Flaw> {
    if json[key].is_null() { Ok(None) } else { positive(json, key).map(Some) }
}

impl fmt::Display for Camera {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Perspective { height, .. } => {
                write!(f, "perspective, {:.1}° high", height.to_degrees())
            }
            Self::Orthographic { half: [x, y], .. } => {
                write!(f, "orthographic, {} by {} m", 2.0 * x, 2.0 * y)
            }
        }
    }
}

impl fmt::Display for Light {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            LightKind::Directional => write!(f, "directional, {} lx", self.intensity),
            LightKind::Point => write!(f, "point, {} cd", self.intensity),
            LightKind::Spot { outer, .. } => {
                write!(f, "spot, {:.1}° wide, {} cd", 2.0 * outer.to_degrees(), self.intensity)
            }
        }
    }
}
