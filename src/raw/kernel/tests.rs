//! Every level computes the same bits.

use nalgebra::{Quaternion, Unit};

use super::*;

/// Numbers of all kinds, the odd ones included, from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (self.0 >> 32) as u32;
        match bits % 61 {
            0 => 0.0,
            1 => -0.0,
            2 => f32::NAN,
            3 => f32::INFINITY,
            4 => f32::from_bits(bits & 0x007f_ffff),
            _ => (bits as f32 / u32::MAX as f32 - 0.5) * 10.0,
        }
    }

    fn vector(&mut self) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.next())
    }

    fn matrix(&mut self, affine: bool) -> Matrix4<f32> {
        let mut matrix = Matrix4::from_fn(|_, _| self.next());
        if affine {
            matrix.set_row(3, &nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0));
        }
        matrix
    }
}

#[test]
fn products_are_the_same_bits_at_every_level() {
    let mut numbers = Numbers(1);
    for round in 0..20_000 {
        let (above, local) = (numbers.matrix(round % 8 != 0), numbers.matrix(round % 7 != 0));
        let (mut expected, mut found) = (Matrix4::zeros(), Matrix4::zeros());
        // SAFETY: the plain code runs everywhere.
        let (changed, _) = unsafe { ScalarProduct::product(above, &local, &mut expected) };
        #[cfg(target_arch = "x86_64")]
        if let Level::Avx512(_) = Level::best() {
            // SAFETY: just checked.
            let mut product = || unsafe {
                let (changed, product) = Avx512Product::product(Avx512Product::load(&above), &local, &mut found);
                (changed, product.matrix())
            };
            let (found_changed, register) = product();
            assert_eq!(found_changed, changed);
            assert!(!product().0, "the same again is no change");
            assert!(found.same_bits(&expected), "{above} * {local} = {found} instead of {expected}");
            assert!(register.same_bits(&expected), "{above} * {local} = {register} instead of {expected}");
        }
    }
}

#[test]
fn compositions_are_the_same_bits_at_every_level() {
    let mut numbers = Numbers(2);
    for round in 0..600 {
        let rows = 1 + round % 150;
        let translation: Vec<_> = (0..rows).map(|_| numbers.vector()).collect();
        let quaternion = |numbers: &mut Numbers| Quaternion::from(numbers.vector().push(numbers.next()));
        let rotation: Vec<_> = (0..rows).map(|_| Unit::new_unchecked(quaternion(&mut numbers))).collect();
        let uniform: Vec<_> = (0..rows).map(|_| numbers.next()).collect();
        let axes: Vec<_> = (0..rows).map(|_| numbers.vector()).collect();
        let columns = TrsColumns {
            translation: if round & 1 == 0 { &translation } else { &[] },
            rotation: if round & 2 == 0 { &rotation } else { &[] },
            scale: [ScaleColumn::None, ScaleColumn::Uniform(&uniform), ScaleColumn::Axes(&axes)][round / 4 % 3],
        };
        let (mut expected, mut found) = (vec![Matrix4::zeros(); rows], vec![Matrix4::zeros(); rows]);
        let (mut expected_marks, mut marks) = (vec![0; rows.div_ceil(64)], vec![0; rows.div_ceil(64)]);
        Level::Scalar.compose(columns, &mut expected, &mut expected_marks);
        Level::best().compose(columns, &mut found, &mut marks);
        assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_bits(expected)), "{found:?} {expected:?}");
        assert_eq!(marks, expected_marks);
        marks.fill(0);
        Level::best().compose(columns, &mut found, &mut marks);
        assert!(marks.iter().all(|word| *word == 0), "the same again is no change");
        for (level, many) in [(Level::Scalar, false), (Level::best(), false), (Level::best(), true)] {
            found.fill(Matrix4::zeros());
            level.write(columns, &mut found, many);
            let same = found.iter().zip(&expected).all(|(found, expected)| found.same_bits(expected));
            assert!(same, "{level:?} {many} {found:?} {expected:?}");
        }
    }
}
