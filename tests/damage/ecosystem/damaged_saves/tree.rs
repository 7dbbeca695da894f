//! A save in JSON as a tree, and damage to its parts.

use harness::Rng;
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

fn object(value: &mut Value) -> &mut Object {
    value.as_object_mut().expect("an object")
}

fn key(map: &Object, rng: &mut Rng) -> String {
    map.keys().nth(rng.below(map.len())).expect("one of the keys").clone()
}

/// The name of an entity that is in no save.
const STRANGER: &str = "00000000-0000-0000-0000-000000000001";

/// Changes a part of a save, and says which.
pub fn damage(save: &mut Vec<u8>, rng: &mut Rng) -> &'static str {
    let mut tree: Value = serde_json::from_slice(save).expect("a whole save");
    let entities = object(&mut tree["entities"]);
    let (entity, other) = (key(entities, rng), key(entities, rng));
    let donor = entities[&other].as_object().expect("components").clone();
    let components = object(&mut entities[&entity]);
    let component = key(components, rng);
    let sort = rng.below(9);
    let what = match sort {
        0 => {
            let value = entities.remove(&entity).expect("it is there");
            entities.insert(STRANGER.into(), value);
            "name of an entity"
        }
        1 => {
            let named = if rng.one_in(4) { STRANGER.into() } else { other };
            components.insert("Parent".into(), named.into());
            "parent"
        }
        2 => {
            let named = vec![entity, other, STRANGER.into()];
            object(&mut entities[&named[1]]).insert("Children".into(), named.into());
            "children"
        }
        3 => {
            components.remove(&component);
            "component removed"
        }
        4 => {
            let given = key(&donor, rng);
            components.insert(given.clone(), donor[&given].clone());
            "component of another entity"
        }
        5 => {
            let given = key(&donor, rng);
            components.insert(component, donor[&given].clone());
            "value of another component"
        }
        6 => {
            let value = components.remove(&component).expect("it is there");
            components.insert(rng.pick(&["Scale", "Parent", "Nothing", ""]).to_string(), value);
            "key of a component"
        }
        7 => {
            change_number(&mut components[&component], rng);
            "a value"
        }
        _ => {
            let twice = format!("\"{component}\":{},", components[&component]);
            let at = format!("\"{entity}\":{{");
            let text = tree.to_string();
            let at = text.find(&at).expect("it is there") + at.len();
            *save = [&text[..at], &twice, &text[at..]].concat().into_bytes();
            return "component twice";
        }
    };
    *save = serde_json::to_vec(&tree).expect("a tree");
    what
}

/// Changes a number of a value, or how many there are.
fn change_number(value: &mut Value, rng: &mut Rng) {
    if let Value::Array(values) = value
        && !values.is_empty()
        && !rng.one_in(5)
    {
        let at = rng.below(values.len());
        match rng.below(5) {
            0 => drop(values.remove(at)),
            1 => values.push(values[at].clone()),
            _ => change_number(&mut values[at], rng),
        }
        return;
    }
    let wild = [
        json!(null),
        json!("0"),
        json!({}),
        json!([]),
        json!(true),
        json!(0.0),
        json!(-0.0),
        json!(1e-42),
        json!(1e30),
        json!(3.4e38),
        json!(1e39),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(rng.float(-9.0, 9.0)),
    ];
    *value = rng.pick(&wild).clone();
}
