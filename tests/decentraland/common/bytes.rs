//! Choices by bytes.

use legion_transform::decentraland::wire::*;

/// Numbers out of bytes; zeros when they are used up.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn below(&mut self, end: u8) -> u8 {
        self.next() % end
    }

    pub fn number(&mut self) -> f32 {
        match self.next() {
            250 => f32::NAN,
            251 => f32::INFINITY,
            252 => -0.0,
            byte => f32::from(byte as i8) / 8.0,
        }
    }

    /// An entity out of few, one of them reserved.
    pub fn scene(&mut self) -> SceneEntity {
        let byte = self.next();
        let network = (byte >= 240).then_some(u32::from(byte % 2));
        let number = [511, 512, 513, 514, 515, 516][usize::from(byte % 6)];
        SceneEntity { network, entity: EntityId::new(number, u16::from(byte / 6 % 8 == 7)) }
    }

    pub fn transform(&mut self) -> SceneTransform {
        let parent = if self.below(3) == 0 { EntityId::ROOT } else { self.scene().entity };
        let mut transform = SceneTransform { parent, ..SceneTransform::IDENTITY };
        match self.below(4) {
            0 => {}
            1 => transform.scale = [self.number(), 1.0, 2.0],
            2 => transform.rotation = [0.0, self.number(), 0.0, self.number()],
            _ => transform.position = [self.number(), self.number(), 0.0],
        }
        transform
    }
}
