//! Choices by bytes.

use decentraland_scene::wire::*;

/// Numbers out of bytes; zeros when they are used up.
pub struct Bytes<'a> {
    pub rest: &'a [u8],
    /// How many numbers entities have: 6 at most.
    pub numbers: u8,
}

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
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

    /// An entity out of few; where there are all numbers, one of them is reserved.
    pub fn scene(&mut self) -> SceneEntity {
        let byte = self.next();
        let network = (byte >= 240).then_some(u32::from(byte % 2));
        let number = [512, 513, 514, 515, 516, 511][usize::from(byte % self.numbers)];
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
