//! Between two ticks everything is drawn where the formula says, and in its slot.

mod renderer;
mod smooth_carried;
mod smooth_ticks;
mod smooth_worst;
