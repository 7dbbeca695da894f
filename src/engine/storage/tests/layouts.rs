//! The components of the random worlds, and the rows that these are made of.

use crate::components::{LocalToWorld, Rotation, Translation};

/// Components that the account does not look at.
#[derive(Clone, Copy)]
pub(super) struct Mark(#[allow(dead_code)] pub u8);
#[derive(Clone, Copy)]
pub(super) struct Name(#[allow(dead_code)] pub u32);

pub(super) fn t() -> Translation {
    Translation::identity()
}

pub(super) fn r() -> Rotation {
    Rotation::identity()
}

pub(super) fn w() -> LocalToWorld {
    LocalToWorld::identity()
}

/// Calls `$body` with a row of one of the layouts, some of them the components of a second one in
/// another order.
macro_rules! with_row {
    ($layout:expr, $row:ident => $body:expr) => {
        match $layout {
            0 => {
                let $row = (t(), r(), w());
                $body
            }
            1 => {
                let $row = (w(), t(), r());
                $body
            }
            2 => {
                let $row = (t(), r(), w(), Mark(0));
                $body
            }
            3 => {
                let $row = (t(),);
                $body
            }
            4 => {
                let $row = (Mark(1), t());
                $body
            }
            5 => {
                let $row = (Scale(1.0), t());
                $body
            }
            6 => {
                let $row = (t(), Scale(1.0));
                $body
            }
            7 => {
                let $row = (Name(3),);
                $body
            }
            _ => {
                let $row = (w(), Scale(2.0), r(), t(), Name(3));
                $body
            }
        }
    };
}

pub(super) use with_row;

pub(super) const LAYOUTS: usize = 9;
