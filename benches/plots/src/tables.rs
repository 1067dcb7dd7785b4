//! The figures in the documents.

use std::fmt::Write;

use crate::comparisons::{Comparison, spread};

/// Bench on `orders`, peer, and the ratio that is aimed at.
const AIMS: [(&str, &str, f64); 6] = [
    ("encode", "serde", 4.0),
    ("encode", "serde-map", 8.0),
    ("record_batch", "kafka-protocol", 2.0),
    ("journey", "serde", 4.0),
    ("decode", "serde-map", 3.5),
    ("decode", "serde", 1.0),
];

/// All comparisons as tables, for `docs/benchmarks.md`.
pub fn tables(comparisons: &[Comparison]) -> String {
    let mut out =
        String::from("| bench | workload | upsert-kafka | peers: nanoseconds (ratio) |\n|---|---|---|---|\n");
    for comparison in comparisons.iter().filter(|comparison| !comparison.peers.is_empty()) {
        let mut peers: Vec<_> = comparison.peers.iter().collect();
        peers.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
        let peers: Vec<_> = peers
            .iter()
            .map(|peer| format!("`{}` {:.0} ({:.2})", peer.name, peer.nanos, peer.ratio))
            .collect();
        let Comparison { bench, workload, ours, .. } = comparison;
        line(&mut out, format_args!("| `{bench}` | `{workload}` | {ours:.0} | {} |", peers.join(", ")));
    }
    out.push_str("\nThe median ratio of each bench and its range, over all workloads and peers:\n\n");
    out.push_str("| bench | least | median | greatest |\n|---|---|---|---|\n");
    for bench in ["encode", "decode", "record_batch", "partition", "journey", "journey_back"] {
        if let Some([least, median, greatest]) = spread(comparisons, bench) {
            line(&mut out, format_args!("| `{bench}` | {least:.2} | {median:.2} | {greatest:.2} |"));
        }
    }
    out.push_str("\nWithout a peer:\n\n| bench | workload | upsert-kafka |\n|---|---|---|\n");
    for Comparison { bench, workload, ours, .. } in comparisons.iter().filter(|of| of.peers.is_empty()) {
        line(&mut out, format_args!("| `{bench}` | `{workload}` | {ours:.0} |"));
    }
    out.push_str("\nWhat is aimed at on `orders`:\n\n| bench | peer | aim | this run |\n|---|---|---|---|\n");
    for (bench, peer, aim) in AIMS {
        let of_bench = comparisons.iter().filter(|of| of.bench == bench && of.workload == "orders");
        let ratio = of_bench.flat_map(|of| &of.peers).find(|of| of.name == peer).map(|of| of.ratio);
        let ratio = ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
        line(&mut out, format_args!("| `{bench}` | `{peer}` | {aim} | {ratio} |"));
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a String takes all");
}

/// The words around three numbers: least, median and greatest ratio.
pub struct Sentence {
    pub file: &'static str,
    /// What the sentence begins with, in the document too.
    start: &'static str,
    benches: [(&'static str, &'static str); 3],
    range: &'static str,
    comma: &'static str,
    end: &'static str,
}

pub const SENTENCES: [Sentence; 2] = [
    Sentence {
        file: "README.md",
        start: "Speed as a multiple of the peers' speed, the median over all workloads and the range:",
        benches: [(" encoding ", "encode"), ("decoding ", "decode"), ("rows to batches ", "journey")],
        range: "{median} ({least} to {greatest})",
        comma: ",\n",
        end: ".\n",
    },
    Sentence {
        file: "README.zh-CN.md",
        start: "速度是对照方案的多少倍（所有负载与对照方案的中位数，括号中为范围）：",
        benches: [("编码 ", "encode"), ("解码 ", "decode"), ("从行到批次 ", "journey")],
        range: "{median} 倍（{least} 至 {greatest}）",
        comma: "，",
        end: "。",
    },
];

impl Sentence {
    /// The text with the sentence of these comparisons in place of the old one; `None` where there is no old one.
    pub fn update(&self, text: &str, comparisons: &[Comparison]) -> Option<String> {
        let (before, rest) = text.split_once(self.start)?;
        let (_, after) = rest.split_once(self.end)?;
        let parts: Option<Vec<_>> = self
            .benches
            .iter()
            .map(|(words, bench)| {
                let [least, median, greatest] =
                    spread(comparisons, bench)?.map(|ratio| format!("{ratio:.1}"));
                let range = self.range.replace("{median}", &median).replace("{least}", &least);
                Some(format!("{words}{}", range.replace("{greatest}", &greatest)))
            })
            .collect();
        Some(format!("{before}{}{}{}{after}", self.start, parts?.join(self.comma), self.end))
    }
}
