//! Accelerator: the inputs of `T R S`, columns as Legion stores them, and four rows of them.

/// The columns of one archetype: as long as its matrices, or empty if the component is absent.
#[derive(Clone, Copy)]
pub(crate) struct TrsColumns<'a> {
    pub translation: &'a [[f32; 3]],
    /// Quaternions, `x y z w`.
    pub rotation: &'a [[f32; 4]],
    pub scale: ScaleColumn<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum ScaleColumn<'a> {
    None,
    Uniform(&'a [f32]),
    Axes(&'a [[f32; 3]]),
}

/// Four rows of every input.
#[derive(Clone, Copy)]
pub(crate) struct FourRows<'a> {
    pub translation: &'a [[f32; 3]; 4],
    pub rotation: &'a [[f32; 4]; 4],
    pub scale: FourScales<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum FourScales<'a> {
    Uniform(&'a [f32; 4]),
    Axes(&'a [[f32; 3]; 4]),
}

impl<'a> TrsColumns<'a> {
    /// The rows of a block.
    ///
    /// Inlined: copying a structure that was just written field by field stalls, 8 ns a call.
    #[inline(always)]
    pub fn block(&self, first: usize, len: usize) -> Self {
        #[inline(always)]
        fn cut<T>(column: &[T], first: usize, len: usize) -> &[T] {
            if column.is_empty() { column } else { &column[first..first + len] }
        }
        Self {
            translation: cut(self.translation, first, len),
            rotation: cut(self.rotation, first, len),
            scale: match self.scale {
                ScaleColumn::None => ScaleColumn::None,
                ScaleColumn::Uniform(column) => ScaleColumn::Uniform(cut(column, first, len)),
                ScaleColumn::Axes(column) => ScaleColumn::Axes(cut(column, first, len)),
            },
        }
    }

    /// The columns, with columns of the identity in place of absent ones.
    ///
    /// # Panics
    /// If a column is neither absent nor of this length.
    pub(super) fn strided(self, len: usize) -> StridedColumns<'a> {
        let scale = match self.scale {
            ScaleColumn::None => len,
            ScaleColumn::Uniform(column) => column.len(),
            ScaleColumn::Axes(column) => column.len(),
        };
        let fits = |column: usize| column == 0 || column == len;
        assert!(
            fits(self.translation.len()) && fits(self.rotation.len()) && scale == len,
            "columns of one archetype"
        );
        StridedColumns {
            translation: Strided::new(self.translation, &[[0.0; 3]; 4]),
            rotation: Strided::new(self.rotation, &[[0.0, 0.0, 0.0, 1.0]; 4]),
            scale: match self.scale {
                ScaleColumn::None => StridedScales::Uniform(Strided::new(&[], &[1.0; 4])),
                ScaleColumn::Uniform(column) => {
                    StridedScales::Uniform(Strided::new(column, &[1.0; 4]))
                }
                ScaleColumn::Axes(column) => {
                    StridedScales::Axes(Strided::new(column, &[[1.0; 3]; 4]))
                }
            },
        }
    }
}

/// Columns of which each has all rows, absent ones too.
pub(super) struct StridedColumns<'a> {
    translation: Strided<'a, [f32; 3]>,
    rotation: Strided<'a, [f32; 4]>,
    scale: StridedScales<'a>,
}

enum StridedScales<'a> {
    Uniform(Strided<'a, f32>),
    Axes(Strided<'a, [f32; 3]>),
}

/// A column, or one block of four equal rows that stands for all rows of an absent one:
///
/// ```text
/// rows    0 1 2 3   4 5 6 7   8 ...     stride 1
/// rows    0 1 2 3 = 0 1 2 3 = 0 ...     stride 0
/// ```
struct Strided<'a, T> {
    rows: &'a [T],
    stride: usize,
}

impl<'a, T: Copy> Strided<'a, T> {
    fn new(column: &'a [T], absent: &'static [T; 4]) -> Self
    where
        T: 'static,
    {
        if column.is_empty() {
            Self { rows: absent, stride: 0 }
        } else {
            Self { rows: column, stride: 1 }
        }
    }

    /// Four rows from one on.
    #[inline(always)]
    fn four(&self, row: usize) -> &'a [T; 4] {
        let four = self.rows.get(row * self.stride..).and_then(|rows| rows.first_chunk());
        four.expect("columns of one archetype are equally long")
    }

    /// The last rows, from one on, filled up to four with copies of the first. If rows 8 and 9 are
    /// left: `8 9 8 8`.
    fn rest(&self, row: usize) -> [T; 4] {
        let rest = &self.rows[row * self.stride..];
        std::array::from_fn(|i| *rest.get(i).unwrap_or(&rest[0]))
    }
}

impl<'a> StridedColumns<'a> {
    /// Four rows from one on.
    #[inline(always)]
    pub fn four(&self, row: usize) -> FourRows<'a> {
        FourRows {
            translation: self.translation.four(row),
            rotation: self.rotation.four(row),
            scale: match &self.scale {
                StridedScales::Uniform(column) => FourScales::Uniform(column.four(row)),
                StridedScales::Axes(column) => FourScales::Axes(column.four(row)),
            },
        }
    }

    /// Calls `f` with the last rows, from one on: less than four, filled up to four.
    #[inline(always)]
    pub fn with_rest<R>(&self, row: usize, f: impl FnOnce(&FourRows<'_>) -> R) -> R {
        let (translation, rotation) = (self.translation.rest(row), self.rotation.rest(row));
        let (uniform, axes);
        let scale = match &self.scale {
            StridedScales::Uniform(column) => {
                uniform = column.rest(row);
                FourScales::Uniform(&uniform)
            }
            StridedScales::Axes(column) => {
                axes = column.rest(row);
                FourScales::Axes(&axes)
            }
        };
        f(&FourRows { translation: &translation, rotation: &rotation, scale })
    }
}
