//! SVG of medians. No background, and colours of middle brightness: to be read on white and on black.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::comparisons::{Comparison, OURS};

type Outcome = Result<(), Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const INK: RGBColor = RGBColor(125, 133, 144);
const OUR_COLOUR: RGBColor = RGBColor(47, 129, 247);
const PEER_COLOUR: RGBColor = RGBColor(201, 133, 63);
const LINE_COLOURS: [RGBColor; 3] = [OUR_COLOUR, PEER_COLOUR, RGBColor(87, 159, 87)];
const FONT: &str = "sans-serif";

/// A bar for each contestant of each comparison, which has a label, in nanoseconds a row on a logarithmic scale.
pub fn bars(path: &Path, title: &str, comparisons: &[(&str, &Comparison)]) -> Outcome {
    const LEFT: i32 = 230;
    const TOP: i32 = 60;
    const BAR: i32 = 17;
    const GAP: i32 = 12;
    const WIDTH: i32 = 880;
    let bars: Vec<_> = comparisons.iter().map(|(label, of)| (*label, contestants(of))).collect();
    let all = || bars.iter().flat_map(|(_, rows)| rows).map(|row| row.1);
    let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    let (from, to) = (10_f64.powf(least.log10().floor()), most * 1.2);
    let heights = bars.iter().map(|(_, rows)| BAR * i32::try_from(rows.len()).unwrap_or(0) + GAP);
    let height = TOP + heights.sum::<i32>() + 10;

    let root = SVGBackend::new(path, (u32::try_from(WIDTH)?, u32::try_from(height)?)).into_drawing_area();
    text(&root, title, (10, 14), 22, HPos::Left)?;
    let x_of = |nanos: f64| {
        LEFT + ((nanos / from).log10() / (to / from).log10() * f64::from(WIDTH - LEFT - 130)) as i32
    };
    let mut mark = from;
    while mark <= to {
        text(&root, &format!("{mark} ns"), (x_of(mark), TOP - 18), 15, HPos::Center)?;
        root.draw(&PathElement::new([(x_of(mark), TOP - 8), (x_of(mark), height - 10)], INK.mix(0.4)))?;
        mark *= 10.0;
    }
    let mut y = TOP;
    for (workload, rows) in &bars {
        text(&root, workload, (10, y + BAR / 2), 17, HPos::Left)?;
        for (name, nanos, ratio) in rows {
            let colour = if *name == OURS { OUR_COLOUR } else { PEER_COLOUR };
            text(&root, name, (LEFT - 8, y + BAR / 2), 15, HPos::Right)?;
            root.draw(&Rectangle::new([(LEFT, y + 2), (x_of(*nanos), y + BAR - 1)], colour.filled()))?;
            let ratio = ratio.map(|ratio| format!(" · {ratio:.1}×")).unwrap_or_default();
            text(&root, &format!("{nanos:.0}{ratio}"), (x_of(*nanos) + 6, y + BAR / 2), 15, HPos::Left)?;
            y += BAR;
        }
        y += GAP;
    }
    root.present()?;
    Ok(())
}

/// Each with its time, and a peer with how many times as long as we it takes; we come first.
fn contestants(comparison: &Comparison) -> Vec<(&str, f64, Option<f64>)> {
    let mut peers: Vec<_> = comparison.peers.iter().collect();
    peers.sort_by(|one, other| one.nanos.total_cmp(&other.nanos));
    let peers = peers.into_iter().map(|peer| (peer.name.as_str(), peer.nanos, Some(peer.ratio)));
    std::iter::once((OURS, comparison.ours, None)).chain(peers).collect()
}

fn text(root: &Area<'_>, text: &str, at: (i32, i32), size: i32, align: HPos) -> Outcome {
    let style = TextStyle::from((FONT, size)).color(&INK).pos(Pos::new(align, VPos::Center));
    root.draw(&Text::new(text.to_owned(), at, style))?;
    Ok(())
}

/// Lines over a number, both axes logarithmic.
pub fn lines(path: &Path, title: &str, x_label: &str, lines: &BTreeMap<String, Vec<(f64, f64)>>) -> Outcome {
    let points = || lines.values().flatten();
    let (x_from, x_to) =
        points().fold((f64::MAX, 0_f64), |(from, to), point| (from.min(point.0), to.max(point.0)));
    let (y_from, y_to) =
        points().fold((f64::MAX, 0_f64), |(from, to), point| (from.min(point.1), to.max(point.1)));
    let root = SVGBackend::new(path, (640, 380)).into_drawing_area();
    let ink = |size: i32| TextStyle::from((FONT, size)).color(&INK);
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ink(22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d((x_from..x_to * 1.05).log_scale(), (y_from / 2.0..y_to * 2.0).log_scale())?;
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(INK.mix(0.3))
        .light_line_style(TRANSPARENT)
        .label_style(ink(15))
        .axis_desc_style(ink(16))
        .x_desc(x_label)
        .y_desc("ns a row")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for ((name, points), colour) in lines.iter().zip(LINE_COLOURS.iter().cycle()) {
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2));
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(name)
            .legend(legend);
    }
    if lines.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .border_style(INK.mix(0.4))
            .label_font(ink(16))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
