//! Connections that know the same get the same, each without its own writes.

use crate::{
    common::*,
    messages::{Owned, any_message, encode},
};
use decentraland_scene::merge::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Ours(Owned),
    From(usize, Owned),
    /// These connections read, in this order.
    Read(Vec<usize>),
}

const ENDS: usize = 4;

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => any_message().prop_map(Step::Ours),
        3 => (0..ENDS, any_message()).prop_map(|(end, message)| Step::From(end, message)),
        1 => prop::collection::vec(0..ENDS, 0..8).prop_map(Step::Read),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(120)))]

    /// Packets are made for each connection by itself, and deltas are the same bytes.
    #[test]
    fn a_delta_that_is_shared_is_that_of_each(
        steps in prop::collection::vec(any_step(), 0..60),
        is_host in any::<bool>(),
    ) {
        let role = if is_host { Role::Host } else { Role::Scene };
        let (mut shared, mut single) = (of_role(role), of_role(role));
        let roles = [Role::Scene, Role::Scene, Role::Host, Role::Peer];
        let mut ends = [(); 2].map(|()| roles.map(Connection::new));
        for step in steps {
            match step {
                Step::Ours(message) => {
                    shared.merge(&message.message(), role);
                    single.merge(&message.message(), role);
                }
                Step::From(end, message) => {
                    let bytes = encode(&[message.message()]);
                    for (replica, ends) in [&mut shared, &mut single].into_iter().zip(&mut ends) {
                        let report = &mut MergeReport::default();
                        replica.receive(&mut ends[end], &bytes, report).unwrap();
                    }
                }
                Step::Read(reads) => {
                    for end in reads.into_iter().chain(0..ENDS) {
                        let delta = shared.delta(&mut ends[0][end]);
                        let size = PacketSize::new(usize::MAX).unwrap();
                        let packets = single.delta_packets(&mut ends[1][end], size);
                        prop_assert_eq!(delta, packets.packets.concat());
                    }
                }
            }
        }
        prop_assert_eq!(shared.dump(), single.dump());
    }
}
