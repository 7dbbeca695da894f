//! Limits of a replica, and how much it keeps.

use std::fmt;

/// How much a [`Replica`](super::Replica) may keep. A message that would exceed a limit is refused
/// and reported; the state stays as it was.
///
/// There are no limits unless you set them: the rules of the merge have none. A replica that
/// refused something differs from one that did not. So choose limits far above every honest scene,
/// and the same for all replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Entities of which something is known, the dead not counted.
    pub entities: usize,
    /// Deleted components, and entity numbers that have a dead version.
    pub tombstones: usize,
    /// Networks.
    pub networks: usize,
    /// Bytes that one component of one entity may have, its appended values included. A `Transform`
    /// always has 44.
    pub bytes_per_key: usize,
    /// Bytes in all: the length of a [dump](super::Replica::dump).
    pub bytes: usize,
    /// Appended values in all.
    pub appended_values: usize,
    /// Appended values of one component of one entity. Beyond that the newest are kept, by their
    /// timestamp and then by their bytes; older ones are dropped, and nothing is refused.
    pub values_per_key: usize,
    /// Bytes of corrections in one [`MergeReport`](super::MergeReport): 16 MiB unless set. Besides,
    /// a connection gets no more of them than 64 KiB and four times what it sent.
    pub correction_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entities: usize::MAX,
            tombstones: usize::MAX,
            networks: usize::MAX,
            bytes_per_key: usize::MAX,
            bytes: usize::MAX,
            appended_values: usize::MAX,
            values_per_key: usize::MAX,
            correction_bytes: 16 << 20,
        }
    }
}

/// One of the [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitKind {
    /// [`Limits::entities`]
    Entities,
    /// [`Limits::tombstones`]
    Tombstones,
    /// [`Limits::networks`]
    Networks,
    /// [`Limits::bytes_per_key`]
    BytesPerKey,
    /// [`Limits::bytes`]
    Bytes,
    /// [`Limits::appended_values`]
    AppendedValues,
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Entities => "entities",
            Self::Tombstones => "tombstones",
            Self::Networks => "networks",
            Self::BytesPerKey => "bytes_per_key",
            Self::Bytes => "bytes",
            Self::AppendedValues => "appended_values",
        })
    }
}

/// How much a [`Replica`](super::Replica) keeps, in the units of [`Limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Entities of which something is known, the dead not counted.
    pub entities: usize,
    /// Deleted components, and entity numbers that have a dead version.
    pub tombstones: usize,
    /// Networks.
    pub networks: usize,
    /// The length of a [dump](super::Replica::dump).
    pub bytes: usize,
    /// Appended values.
    pub appended_values: usize,
}

/// The change of a message to the size of the state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub entities: isize,
    pub tombstones: isize,
    pub networks: isize,
    pub bytes: isize,
    pub appended_values: isize,
}

impl Cost {
    /// Of a message that becomes part of a dump.
    pub fn message(length: usize, is_tombstone: bool) -> Self {
        Self { bytes: length as isize, tombstones: isize::from(is_tombstone), ..Self::default() }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            entities: self.entities + other.entities,
            tombstones: self.tombstones + other.tombstones,
            networks: self.networks + other.networks,
            bytes: self.bytes + other.bytes,
            appended_values: self.appended_values + other.appended_values,
        }
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            entities: self.entities - other.entities,
            tombstones: self.tombstones - other.tombstones,
            networks: self.networks - other.networks,
            bytes: self.bytes - other.bytes,
            appended_values: self.appended_values - other.appended_values,
        }
    }
}

/// The limits, and the present size.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    pub limits: Limits,
    pub usage: Usage,
    /// Whether any limit is set.
    is_limited: bool,
}

impl Budget {
    pub fn new(limits: Limits) -> Self {
        let Limits { correction_bytes, values_per_key, .. } = limits;
        let is_limited = limits != Limits { correction_bytes, values_per_key, ..Limits::default() };
        Self { limits, usage: Usage::default(), is_limited }
    }

    /// Whether there is room for a change. A change that adds nothing is never refused.
    #[inline]
    pub fn admits(&self, cost: &Cost) -> Result<(), LimitKind> {
        if self.is_limited { self.check(cost) } else { Ok(()) }
    }

    fn check(&self, cost: &Cost) -> Result<(), LimitKind> {
        let Self { limits, usage, .. } = self;
        let fits = |cost: isize, used: usize, limit| {
            cost <= 0 || used.saturating_add_signed(cost) <= limit
        };
        let exceeded = [
            (fits(cost.networks, usage.networks, limits.networks), LimitKind::Networks),
            (fits(cost.entities, usage.entities, limits.entities), LimitKind::Entities),
            (fits(cost.tombstones, usage.tombstones, limits.tombstones), LimitKind::Tombstones),
            (
                fits(cost.appended_values, usage.appended_values, limits.appended_values),
                LimitKind::AppendedValues,
            ),
            (fits(cost.bytes, usage.bytes, limits.bytes), LimitKind::Bytes),
        ];
        exceeded.into_iter().find(|(fits, _)| !fits).map_or(Ok(()), |(_, kind)| Err(kind))
    }

    /// Whether one component of one entity may have this many bytes.
    pub fn admits_key(&self, bytes: usize) -> Result<(), LimitKind> {
        if bytes <= self.limits.bytes_per_key { Ok(()) } else { Err(LimitKind::BytesPerKey) }
    }

    /// Counts it, if there is room for it.
    #[inline]
    pub fn spend(&mut self, cost: &Cost) -> Result<(), LimitKind> {
        self.admits(cost)?;
        self.charge(cost);
        Ok(())
    }

    #[inline]
    pub fn charge(&mut self, cost: &Cost) {
        let usage = &mut self.usage;
        usage.entities = usage.entities.wrapping_add_signed(cost.entities);
        usage.tombstones = usage.tombstones.wrapping_add_signed(cost.tombstones);
        usage.networks = usage.networks.wrapping_add_signed(cost.networks);
        usage.bytes = usage.bytes.wrapping_add_signed(cost.bytes);
        usage.appended_values = usage.appended_values.wrapping_add_signed(cost.appended_values);
    }
}
