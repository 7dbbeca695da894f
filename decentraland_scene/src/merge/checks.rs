//! What a server says of messages before it merges them.

use super::{
    cell::written,
    corrections::{Credit, Round},
    replica::Replica,
    report::MergeReport,
    role::Sender,
};
use crate::wire::{Key, Message};

/// What a server says of a message before it is merged; see
/// [`Replica::receive_packet_checked`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// It is merged as it came.
    Accept,
    /// It is not merged. The answer to the sender is the component as it stands here, or its
    /// deletion where there is none.
    Refuse,
    /// The component gets this value instead, which is also the answer to the sender. (A message
    /// that would lose is refused. So are the deletion of an entity and an appended value, which
    /// have no other value.)
    Correct(Vec<u8>),
}

impl Replica {
    /// Does not merge a message as it came, and answers it.
    #[cold]
    pub(super) fn amend(
        &mut self,
        message: &Message<'_>,
        check: Check,
        from: Sender,
        report: &mut MergeReport,
        credit: &mut Credit,
    ) {
        let key = match message {
            Message::AppendValue { .. } | Message::AuthoritativePutComponent { .. } => None,
            _ => message.key().zip(message.timestamp()),
        };
        if let (Check::Correct(value), Some((key, timestamp))) = (&check, key)
            && let last = self.last_timestamp(key)
            && timestamp >= last
        {
            // At one timestamp, others would keep the larger of the two values.
            let is_tie = timestamp == last && self.write_of(key).is_some();
            let timestamp = timestamp.saturating_add(u32::from(is_tie));
            let put = written(key, timestamp, Some(value));
            let accepted = report.accepted;
            let by_us = Sender::with_authority(from.role);
            self.merge_into(report, &put, by_us, || 0, Round::None, credit);
            if report.accepted == accepted {
                return;
            }
            report.accepted = accepted;
        }
        report.refused += 1;
        if let Some((key, timestamp)) = key {
            self.answer(key, timestamp, report, credit);
        }
    }

    /// Answers with the component as it stands here, to be taken whatever the sender has.
    fn answer(&self, key: Key, at: u32, report: &mut MergeReport, credit: &mut Credit) {
        let (timestamp, value) = self.write_of(key).unwrap_or((at, None));
        let answer = written(key, timestamp, value);
        let limit = self.budget.limits.correction_bytes;
        let room = limit.saturating_sub(report.authoritative.len()).min(credit.0);
        if answer.len() > room {
            report.uncorrected += 1;
        } else {
            credit.spend(answer.len());
            answer.encode(&mut report.authoritative);
        }
    }
}
