//! What criterion has left in its folders.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The medians of one run, in nanoseconds a row: by bench, by workload, by contestant.
#[derive(Default)]
pub struct Run(pub BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>);

impl Run {
    /// The estimates in a folder of criterion's and all folders in it; none where there is no such folder.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut run = Self::default();
        run.add(folder)?;
        Ok(run)
    }

    fn add(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        if !folder.is_dir() {
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !path.ends_with("new") {
                self.add(&path)?;
                continue;
            }
            let json = |file: &str| -> Result<Value, Box<dyn Error>> {
                Ok(serde_json::from_slice(&fs::read(path.join(file))?)?)
            };
            let (bench, estimates) = (json("benchmark.json")?, json("estimates.json")?);
            let name = |part: &str| bench[part].as_str().unwrap_or_default().to_owned();
            let rows =
                bench["throughput"]["Elements"].as_f64().ok_or("a bench without its number of rows")?;
            let nanos = estimates["median"]["point_estimate"].as_f64().ok_or("a bench without a median")?;
            let workloads = self.0.entry(name("group_id")).or_default();
            workloads.entry(name("value_str")).or_default().insert(name("function_id"), nanos / rows);
        }
        Ok(())
    }

    /// A line of points for each contestant of a bench whose workloads are numbers.
    pub fn lines(&self, bench: &str) -> BTreeMap<String, Vec<(f64, f64)>> {
        let mut lines: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (workload, contestants) in self.0.get(bench).into_iter().flatten() {
            let Ok(x) = workload.parse::<f64>() else { continue };
            for (contestant, nanos) in contestants {
                lines.entry(contestant.clone()).or_default().push((x, *nanos));
            }
        }
        lines.values_mut().for_each(|points| points.sort_by(|one, other| one.0.total_cmp(&other.0)));
        lines
    }
}
