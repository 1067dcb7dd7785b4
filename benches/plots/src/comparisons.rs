//! Ours beside each peer, in the same run.

use std::collections::BTreeMap;

use crate::estimates::Run;

pub const OURS: &str = "upsert-kafka";

/// Copies the bytes of a row: what cannot be beaten, and no peer.
const FLOOR: &str = "memcpy";

/// A workload of a bench: how many nanoseconds a row takes us, and the peers.
pub struct Comparison {
    pub bench: String,
    pub workload: String,
    pub ours: f64,
    pub peers: Vec<Peer>,
}

pub struct Peer {
    pub name: String,
    pub nanos: f64,
    /// The peer's time over ours in the same run.
    pub ratio: f64,
}

/// All workloads that we take part in. Those of a later run add their peers; our time is that of the first.
pub fn comparisons(runs: &[Run]) -> Vec<Comparison> {
    let mut found: BTreeMap<(String, String), Comparison> = BTreeMap::new();
    for run in runs {
        for (bench, workloads) in &run.0 {
            for (workload, contestants) in workloads {
                let Some(&ours) = contestants.get(OURS) else { continue };
                let comparison = found.entry((bench.clone(), workload.clone())).or_insert_with(|| {
                    Comparison { bench: bench.clone(), workload: workload.clone(), ours, peers: Vec::new() }
                });
                let peers = contestants.iter().filter(|(name, _)| *name != OURS && *name != FLOOR);
                comparison.peers.extend(peers.map(|(name, &nanos)| Peer {
                    name: name.clone(),
                    nanos,
                    ratio: nanos / ours,
                }));
            }
        }
    }
    found.into_values().collect()
}

/// The least, the middle and the greatest ratio of a bench, over all its workloads and peers.
pub fn spread(comparisons: &[Comparison], bench: &str) -> Option<[f64; 3]> {
    let of_bench = comparisons.iter().filter(|comparison| comparison.bench == bench);
    let mut ratios: Vec<_> =
        of_bench.flat_map(|comparison| &comparison.peers).map(|peer| peer.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let (first, last) = (*ratios.first()?, *ratios.last()?);
    let middle = (ratios[ratios.len() / 2] + ratios[(ratios.len() - 1) / 2]) / 2.0;
    Some([first, middle, last])
}
