//! Ids and values as text, with the feature `serde`.
#![cfg(feature = "serde")]

use decentraland_scene::wire::*;
use serde_json::json;

#[test]
fn ids_and_values_are_saved_by_their_names() {
    let entity = SceneEntity::networked(7, EntityId::new(512, 3));
    let text = json!({ "network": 7, "entity": (3 << 16) | 512 });
    assert_eq!(serde_json::to_value(entity).unwrap(), text);
    assert_eq!(serde_json::from_value::<SceneEntity>(text).unwrap(), entity);
    let plain = serde_json::to_value(SceneEntity::PLAYER).unwrap();
    assert_eq!(plain, json!({ "network": null, "entity": 1 }));

    let key = entity.key(TRANSFORM);
    let named = NetworkEntity { network: 0, entity: EntityId(8002) };
    let transform = SceneTransform { scale: [1.0, 2.0, 0.5], ..SceneTransform::IDENTITY };
    let text = json!([
        { "network": 7, "entity": (3 << 16) | 512, "component": 1 },
        { "network": 0, "entity": 8002 },
        {
            "position": [0.0, 0.0, 0.0],
            "rotation": [0.0, 0.0, 0.0, 1.0],
            "scale": [1.0, 2.0, 0.5],
            "parent": 0
        }
    ]);
    assert_eq!(serde_json::to_value((key, named, transform)).unwrap(), text);
    let back: (Key, NetworkEntity, SceneTransform) = serde_json::from_value(text).unwrap();
    assert_eq!(back, (key, named, transform));
}
