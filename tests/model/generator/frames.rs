//! Edits of `Frame` and `Origin`.

use legion_transform::frames::Frame;
use legion_transform_testing::Kind;
use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::Generator;
use crate::edits::{Edit, Slot, Subject};

/// Every sort of edit of frames.
pub const SORTS: [&str; 11] = [
    "spawn a frame",
    "spawn a frame below a frame",
    "add Frame",
    "overwrite Frame",
    "overwrite Frame in place",
    "remove Frame",
    "despawn a frame",
    "re-parent a frame",
    "put a frame on a cycle",
    "see from an entity, dead or alive",
    "see from the universe",
];

impl Generator {
    pub fn frames(&mut self, sort: &str, subject: &mut Subject) -> Option<Vec<Edit>> {
        Some(match sort {
            "spawn a frame" => {
                let parent = if self.rng.one_in(2) { self.any() } else { None };
                self.spawn_frame(parent)
            }
            "spawn a frame below a frame" => {
                let parent = self.any_frame(subject)?;
                self.spawn_frame(Some(parent))
            }
            "add Frame" => {
                // Half of them above other entities.
                let parent = self.any_child(subject).filter(|_| self.rng.one_in(2));
                let slot = parent.map(|(_, parent)| parent).or_else(|| self.any())?;
                vec![Edit::Frame(slot, self.frame())]
            }
            "overwrite Frame" => vec![Edit::Frame(self.any_frame(subject)?, self.frame())],
            "overwrite Frame in place" => {
                let slot = self.any_frame(subject)?;
                let old = subject.frame(slot)?;
                vec![Edit::SetFrame(slot, self.moved(old))]
            }
            "remove Frame" => vec![Edit::RemoveFrame(self.any_frame(subject)?)],
            "despawn a frame" => vec![Edit::Despawn(self.any_frame(subject)?)],
            "re-parent a frame" => {
                let (slot, parent) = (self.any_frame(subject)?, self.any()?);
                let mut edits = vec![Edit::Parent(slot, parent)];
                if !subject.has(slot, Kind::LocalToParent) && !self.rng.one_in(4) {
                    let local = self.rng.numbers(Kind::LocalToParent);
                    edits.push(Edit::Add(slot, Kind::LocalToParent, local));
                }
                edits
            }
            "put a frame on a cycle" => {
                let slot = self.any_frame(subject)?;
                let parent = subject.parent(slot).filter(|parent| self.alive.contains(parent))?;
                let local = self.rng.numbers(Kind::LocalToParent);
                vec![Edit::Parent(parent, slot), Edit::Add(parent, Kind::LocalToParent, local)]
            }
            "see from an entity, dead or alive" => {
                let dead = !self.dead.is_empty() && self.rng.one_in(8);
                let slot = match () {
                    () if dead => *self.rng.pick(&self.dead),
                    () if self.rng.one_in(2) => self.any_frame(subject)?,
                    () => self.any()?,
                };
                vec![Edit::Origin(Some(slot))]
            }
            "see from the universe" => vec![Edit::Origin(None)],
            other => unreachable!("{other} has no edits"),
        })
    }

    fn any_frame(&mut self, subject: &Subject) -> Option<Slot> {
        self.any_where(|slot| subject.frame(slot).is_some())
    }

    fn spawn_frame(&mut self, parent: Option<Slot>) -> Vec<Edit> {
        let mut kinds = vec![Kind::LocalToWorld];
        if parent.is_some() && !self.rng.one_in(10) {
            kinds.push(Kind::LocalToParent);
        }
        if self.rng.one_in(4) {
            kinds.push(self.usual_kind());
        }
        let components = kinds.into_iter().map(|kind| (kind, self.rng.numbers(kind))).collect();
        let (slot, prelinked) = (self.next, self.rng.one_in(2));
        let frame = self.frame();
        vec![Edit::Spawn { slot, components, parent, prelinked }, Edit::Frame(slot, frame)]
    }

    /// Some metres around one of a few places: at 0, ten kilometres, an earth's radius and its way
    /// around the sun.
    pub fn frame(&mut self) -> Frame {
        let far = *self.rng.pick(&[0.0, 1e4, 6.4e6, 1.5e11]);
        let position = Point3::new(far, -0.5 * far, 0.0) + self.rng.vector(100.0).cast::<f64>();
        let frame = Frame { position, rotation: self.turn() };
        if self.wild && self.rng.one_in(40) { self.broken(frame) } else { frame }
    }

    fn turn(&mut self) -> UnitQuaternion<f64> {
        if self.rng.one_in(3) {
            return UnitQuaternion::identity();
        }
        let [x, y, z]: [f64; 3] = self.rng.vector(3.0).cast().into();
        UnitQuaternion::from_euler_angles(x, y, z)
    }

    /// A frame that moves by some metres, turns, stays, or goes elsewhere.
    fn moved(&mut self, old: Frame) -> Frame {
        let by: Vector3<f64> = self.rng.vector(10.0).cast();
        match self.rng.below(5) {
            0 => old,
            1 => Frame { rotation: self.turn(), ..old },
            2 => self.frame(),
            _ => Frame { position: old.position + by, ..old },
        }
    }

    fn broken(&mut self, mut frame: Frame) -> Frame {
        frame.position[self.rng.below(3)] =
            *self.rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e40]);
        frame
    }
}
