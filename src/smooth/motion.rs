//! One row's way between two ticks.

use wide::f32x4;

use super::turns::{Turns, straight};
use crate::components::LocalToWorld;

/// The way of a row. It ends at the matrix of the last tick, which is stored elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    pub row: u32,
    pub way: Way,
}

#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// Only the translation changes. From this last column, of which the fourth element stays.
    Shift([f32; 4]),
    /// All may change. The number of the turn.
    Turn(u32),
}

impl Way {
    /// The way between two matrices, if they differ. `turn` is the number of the turn of the tick
    /// before that ended at the first, if there is one.
    #[inline]
    pub fn of(
        from: &LocalToWorld,
        to: &LocalToWorld,
        turns: &mut Turns,
        turn: Option<u32>,
    ) -> Option<Self> {
        let (a, b) = (from.0.data.0.map(f32x4::new), to.0.data.0.map(f32x4::new));
        let mut differ: [f32x4; 4] = std::array::from_fn(|i| a[i] ^ b[i]);
        // A NaN makes the sum a NaN; so do infinities. Bits of two NaNs do not differ.
        if ((b[0] + b[1]) + (b[2] + b[3])).is_nan().any() {
            differ = std::array::from_fn(|i| differ[i] & !(a[i].is_nan() & b[i].is_nan()));
        }
        let axes = (differ[0] | differ[1] | differ[2]).to_array().map(f32::to_bits);
        let [x, y, z, w] = differ[3].to_array().map(f32::to_bits);
        match (axes[0] | axes[1] | axes[2] | axes[3] | w, x | y | z) {
            (0, 0) => None,
            (0, _) => Some(Self::Shift(from.0.data.0[3])),
            _ => Some(Self::Turn(turns.push(from, to, turn))),
        }
    }
}

/// The motion of a row.
pub fn motion(motions: &[Motion], row: usize) -> Option<&Motion> {
    let found = motions.binary_search_by_key(&(row as u32), |motion| motion.row).ok()?;
    Some(&motions[found])
}

impl Motion {
    /// The matrix at `alpha`, from 0 to 1. `to` is the end. A call would return it through memory.
    #[inline(always)]
    pub fn at(&self, turns: &Turns, to: &LocalToWorld, alpha: f32) -> LocalToWorld {
        if alpha >= 1.0 {
            return *to;
        }
        match self.way {
            Way::Turn(turn) => turns.at(turn, to, alpha),
            Way::Shift(from) => {
                let [a, b, c, to] = to.0.data.0;
                let at = straight(f32x4::new(from), f32x4::new(to), alpha).to_array();
                let [x, y, z, _] = if alpha <= 0.0 { from } else { at };
                LocalToWorld([a, b, c, [x, y, z, to[3]]].into())
            }
        }
    }
}
