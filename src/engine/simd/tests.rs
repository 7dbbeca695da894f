//! Every instruction set of this machine gives the bits of [`math::compose`](crate::math::compose).

use nalgebra::{Matrix4, RowVector4};

use super::*;
use crate::math::{SameBits, compose::*};

/// Numbers of all kinds, from a seed.
struct Numbers {
    state: u64,
    /// Of this many numbers one is an odd one.
    odd: u32,
}

impl Numbers {
    fn bits(&mut self) -> u32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 32) as u32
    }

    fn next(&mut self) -> f32 {
        let bits = self.bits();
        if !bits.is_multiple_of(self.odd) {
            return (bits as f32 / u32::MAX as f32 - 0.5) * 10.0;
        }
        let sign = bits & 1 << 31;
        let odd = match self.bits() % 10 {
            0 | 1 => 0.0_f32.to_bits(),
            2 => f32::INFINITY.to_bits(),
            3 => f32::NAN.to_bits() | (bits & 0xffff),
            4 => bits & 0x007f_ffff, // denormal
            5 => f32::MIN_POSITIVE.to_bits(),
            6 => f32::MAX.to_bits(),
            7 => 0x5f00_0000 | (bits & 0x00ff_ffff), // large enough for products to overflow
            8 => 0x1f00_0000 | (bits & 0x00ff_ffff), // small enough for them to underflow
            _ => 1.0_f32.to_bits(),
        };
        f32::from_bits(sign | odd)
    }

    fn array<const LEN: usize>(&mut self) -> [f32; LEN] {
        std::array::from_fn(|_| self.next())
    }

    fn matrix(&mut self, bottom: Option<[f32; 4]>) -> Matrix4<f32> {
        let mut matrix = Matrix4::from_fn(|_, _| self.next());
        if let Some(bottom) = bottom {
            matrix.set_row(3, &RowVector4::from_row_slice(&bottom));
        }
        matrix
    }
}

const AFFINE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

fn assert_same(found: &Matrix4<f32>, expected: &Matrix4<f32>, what: &dyn std::fmt::Debug) {
    assert!(found.same_bits(expected), "{what:?}: {found:?} instead of {expected:?}");
}

/// Products of a matrix with one after another, as a chain of nodes has them.
struct Chain<'a>(Matrix4<f32>, &'a [Matrix4<f32>]);

impl Kernel for Chain<'_> {
    type Output = Vec<Matrix4<f32>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<Matrix4<f32>> {
        let mut product = simd.load(&self.0);
        let link = |local| {
            product = simd.product(product, simd.load(local));
            let mut stored = Matrix4::zeros();
            simd.replace(&mut stored, product);
            stored
        };
        self.1.iter().map(link).collect()
    }
}

struct Replaced<'a>(&'a mut Matrix4<f32>, &'a Matrix4<f32>);

impl Kernel for Replaced<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        simd.replace(self.0, simd.load(self.1))
    }
}

#[test]
fn products_are_the_bits_of_the_formula() {
    for isa in Isa::available() {
        for odd in [1, 2, 5, 60, u32::MAX] {
            let mut numbers = Numbers { state: u64::from(odd), odd };
            for _ in 0..3_000 {
                // Bottom rows that are affine, affine but for a sign, nearly affine, and anything.
                let mut bottom = || match numbers.bits() % 16 {
                    0 => None,
                    1 => Some([0.0, -0.0, 0.0, 1.0]),
                    2 => Some([0.0, 0.0, f32::from_bits(1), 1.0]),
                    3 => Some([0.0, 0.0, 0.0, 1.0 + f32::EPSILON]),
                    4 => Some([0.0, 0.0, 0.0, -1.0]),
                    _ => Some(AFFINE),
                };
                let bottoms = [bottom(), bottom(), bottom(), bottom(), bottom()];
                let [top, locals @ ..] = bottoms.map(|bottom| numbers.matrix(bottom));
                let mut expected = top;
                for (found, local) in isa.run(Chain(top, &locals)).iter().zip(&locals) {
                    let parent = expected;
                    expected = product(&parent, local);
                    assert_same(found, &expected, &(isa, parent, local));
                }
            }
        }
    }
}

#[test]
fn what_differs_in_a_bit_is_written() {
    let odd =
        [0.0, -0.0, 1.0, f32::from_bits(1), f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN];
    for isa in Isa::available() {
        for (lane, was, is) in (0..16)
            .flat_map(|lane| odd.map(|was| odd.map(|is| (lane, was, is))).into_iter().flatten())
        {
            // Beside another NaN, and beside infinities of both signs, whose sum is one.
            for others in [[2.0; 3], [f32::NAN, 2.0, 2.0], [f32::INFINITY, f32::NEG_INFINITY, 2.0]]
            {
                let mut stored = Matrix4::from_fn(|row, column| others[(row + column) % 3]);
                stored[lane] = was;
                let mut new = stored;
                new[lane] = is;
                let before = stored;
                let differs = was.to_bits() != is.to_bits() && !(was.is_nan() && is.is_nan());
                assert_eq!(
                    isa.run(Replaced(&mut stored, &new)),
                    differs,
                    "{isa:?} {lane} {was} {is} {others:?}"
                );
                let expected = if differs { new } else { before };
                assert_eq!(
                    stored.map(f32::to_bits),
                    expected.map(f32::to_bits),
                    "{isa:?} {lane} {was} {is} {others:?}"
                );
            }
        }
    }
}

/// Inputs of one archetype.
struct Inputs {
    translation: Vec<[f32; 3]>,
    rotation: Vec<[f32; 4]>,
    uniform: Vec<f32>,
    axes: Vec<[f32; 3]>,
    /// Rotations, scales and inverses.
    matrices: [Vec<Matrix4<f32>>; 3],
}

impl Inputs {
    fn new(numbers: &mut Numbers, rows: usize) -> Self {
        let mut matrix = |row: usize| {
            let bottom = Some(AFFINE).filter(|_| !row.is_multiple_of(7));
            numbers.matrix(bottom)
        };
        let matrices = [(); 3].map(|()| (0..rows).map(&mut matrix).collect());
        Self {
            translation: (0..rows).map(|_| numbers.array()).collect(),
            rotation: (0..rows).map(|_| numbers.array()).collect(),
            uniform: (0..rows).map(|_| numbers.next()).collect(),
            axes: (0..rows).map(|_| numbers.array()).collect(),
            matrices,
        }
    }

    /// Every combination of columns.
    fn combinations(&self) -> Vec<Factors<'_>> {
        let [rotation, scale, inverse] = &self.matrices;
        let none = Factors::default();
        let mut all = Vec::new();
        for translation in [&[], &self.translation[..]] {
            for inverse in [&[], &inverse[..]] {
                for turned in
                    [none, Factors { turn: &self.rotation, ..none }, Factors { rotation, ..none }]
                {
                    for scaled in [
                        turned,
                        Factors { uniform: &self.uniform, ..turned },
                        Factors { axes: &self.axes, ..turned },
                        Factors { scale, ..turned },
                    ] {
                        all.push(Factors { translation, inverse, ..scaled });
                    }
                }
            }
        }
        all
    }
}

/// Composes as each instruction set does, the rows from one on, from matrices of which every third
/// row is right before, and compares all there is.
fn judge(formula: impl Formula, first: usize, rows: usize) {
    let expected: Vec<_> = (0..rows).map(|row| formula.one(first + row)).collect();
    let is_right = |row: usize| row.is_multiple_of(3);
    let before = |row: usize| if is_right(row) { expected[row] } else { Matrix4::repeat(77.0) };
    for isa in Isa::available() {
        let mut found: Vec<_> = (0..rows).map(before).collect();
        let mut marks = vec![0; rows.div_ceil(64)];
        isa.compose(formula, first, &mut found, &mut marks);
        for (row, expected) in expected.iter().enumerate() {
            assert_same(&found[row], expected, &(isa, row, rows));
            assert_eq!(
                marks[row / 64] >> (row % 64) & 1 == 0,
                is_right(row),
                "{isa:?} {row} of {rows}"
            );
        }
        marks.fill(0);
        isa.compose(formula, first, &mut found, &mut marks);
        assert!(marks.iter().all(|word| *word == 0), "{isa:?}: the same again is no change");
    }
}

fn judge_factors(factors: Factors<'_>, first: usize, rows: usize) {
    match factors.plain() {
        Some(plain) => judge(plain, first, rows),
        None => judge(factors, first, rows),
    }
}

#[test]
fn compositions_are_the_bits_of_the_formula_at_every_length() {
    for (rows, odd) in (0..=70).flat_map(|rows| [4, 30].map(|odd| (rows, odd))) {
        let inputs = Inputs::new(&mut Numbers { state: rows as u64, odd }, rows);
        inputs.combinations().into_iter().for_each(|factors| {
            judge_factors(factors, 0, rows);
        });
    }
}

#[test]
fn compositions_are_the_bits_of_the_formula_in_long_columns() {
    for (seed, odd) in [1, 2, 5, 60, u32::MAX].into_iter().enumerate() {
        let inputs = Inputs::new(&mut Numbers { state: seed as u64, odd }, 1_003);
        inputs.combinations().into_iter().for_each(|factors| {
            judge_factors(factors, 0, 1_003);
            // As rows of a block begin anywhere.
            (1..5).for_each(|first| judge_factors(factors, first, 998));
        });
    }
}

#[test]
#[should_panic(expected = "columns of one archetype")]
fn columns_of_other_lengths_are_refused() {
    let factors = Factors { translation: &[[0.0; 3]; 8], uniform: &[1.0; 9], ..Factors::default() };
    let formula = factors.plain().expect("all there is");
    Isa::default().compose(formula, 0, &mut [Matrix4::zeros(); 9], &mut [0]);
}

#[test]
fn instruction_sets_go_by_their_names() {
    let best = Isa::available().last();
    assert_eq!(Isa::of_name("portable").name(), "portable");
    assert!(Isa::available().all(|isa| Isa::of_name(isa.name()) == isa));
    assert_eq!(Some(Isa::of_name("altivec")), best);
    assert_eq!(Some(Isa::of_name("")), best);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn machines_say_how_wide_their_vector_units_are() {
    // What leaves 8000_0000 and 8000_001a say. Beyond the last leaf of Intel's is anything.
    let judge =
        |last, widths| isa::says_256_bits(|leaf| if leaf == 0x8000_0000 { last } else { widths });
    assert!(judge(0x8000_0028, 6), "Zen 4, and most Zen 5 of laptops");
    assert!(!judge(0x8000_0028, 10), "Zen 5");
    assert!(!judge(0x8000_0028, 2), "Zen 5 in a virtual machine");
    assert!(!judge(0x8000_0008, u32::MAX), "Intel");
}
