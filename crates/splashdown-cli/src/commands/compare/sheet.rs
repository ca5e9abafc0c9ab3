//! The figures of all variants as a table for people, as CSV and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use splashdown::compare::Figure;

use super::Row;

/// Names of all figures of any variant, in order.
fn names(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for figure in rows.iter().flat_map(|row| &row.measured.figures) {
        if !names.contains(&figure.name) {
            names.push(figure.name.clone());
        }
    }
    names
}

fn find<'a>(row: &'a Row, name: &str) -> Option<&'a Figure> {
    row.measured.figures.iter().find(|figure| figure.name == name)
}

/// Forces across a plane and probes in the dry are nothing in all variants, and take up room.
pub(super) fn leave_out_what_is_zero(rows: &mut [Row]) {
    let is_dull = |name: &str| {
        let values = rows.iter().filter_map(|row| find(row, name)).map(|figure| figure.value);
        let by_name = ["_n", "_m", "_pa", "_m_s"].iter().any(|unit| name.ends_with(unit));
        by_name && values.into_iter().all(|value| value == 0.0 || value.is_nan())
    };
    let dull: Vec<String> = names(rows).into_iter().filter(|name| is_dull(name)).collect();
    for row in rows {
        row.measured.figures.retain(|figure| !dull.contains(&figure.name));
    }
}

/// One row for each variant.
pub(super) fn csv(rows: &[Row]) -> String {
    let names = names(rows);
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = "variant".to_owned();
    names.iter().for_each(|name| text += &format!(",{name}"));
    text += ",verdict\n";
    for row in rows {
        text += &quoted(&row.name);
        for name in &names {
            let value = find(row, name).map(|figure| figure.value).filter(|v| v.is_finite());
            let _ = write!(text, ",{}", value.map_or_else(String::new, |v| format!("{v:?}")));
        }
        let _ = writeln!(text, ",{}", quoted(&row.measured.verdict()));
    }
    text
}

/// One object for each variant, a line each.
pub(super) fn json(scene: &str, rows: &[Row]) -> String {
    let line = |row: &Row| {
        let number = |figure: &Figure| (figure.name.clone(), Value::from(figure.value));
        let figures: Map<String, Value> = row.measured.figures.iter().map(number).collect();
        let value = json!({
            "scene": scene,
            "variant": row.name,
            "set": row.overrides,
            "figures": figures,
            "verdict": row.measured.verdict(),
            "finished": row.measured.trouble.is_none(),
            "directory": row.kept,
        });
        format!("{value}\n")
    };
    rows.iter().map(line).collect()
}

/// For people: one column for each variant, because there are more figures than variants. Wide
/// tables are cut into several.
pub(super) fn table(rows: &[Row]) -> String {
    const WIDTH: usize = 150;
    let names = names(rows);
    let first = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut at = 0;
    while at < rows.len() {
        let mut width = first + 2;
        let part: Vec<(&Row, usize)> = rows[at..]
            .iter()
            .map(|row| (row, column_width(row, &names)))
            .take_while(|(_, column)| {
                width += column + 2;
                width <= WIDTH
            })
            .collect();
        let part =
            if part.is_empty() { vec![(&rows[at], column_width(&rows[at], &names))] } else { part };
        at += part.len();
        let _ = write!(text, "  {:first$}", "");
        part.iter().for_each(|(row, width)| text += &format!("  {:>width$}", row.name));
        text.push('\n');
        for name in &names {
            let _ = write!(text, "  {:first$}", name.replace('_', " "));
            for (row, width) in &part {
                let cell = find(row, name).map_or_else(|| "-".to_owned(), Figure::text);
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for row in rows {
        let _ = writeln!(text, "  {}: {}", row.in_full(), row.measured.verdict());
    }
    text
}

fn column_width(row: &Row, names: &[String]) -> usize {
    let cells = names.iter().filter_map(|name| find(row, name)).map(|figure| figure.text().len());
    cells.chain([row.name.chars().count()]).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown::compare::{Measured, Style};

    fn row(name: &str, figures: &[(&str, f64)], trouble: Option<&str>) -> Row {
        let figure = |(name, value): &(&str, f64)| Figure::new(*name, *value, Style::Decimals(2));
        let measured = Measured {
            figures: figures.iter().map(figure).collect(),
            trouble: trouble.map(str::to_owned),
            ..Measured::default()
        };
        Row { name: name.to_owned(), overrides: vec!["a=1".to_owned()], measured, kept: None }
    }

    fn rows() -> Vec<Row> {
        vec![
            row("calm", &[("reached_s", 1.0), ("duck_z_m", 0.0), ("duck_x_m", 3.0)], None),
            row("wild \"x\", y", &[("reached_s", f64::NAN)], Some("exploded at 0.5 s")),
            row("refused", &[], Some("refused: \"no\"")),
        ]
    }

    #[test]
    fn every_variant_has_a_cell_for_every_figure_and_its_reason() {
        let mut rows = rows();
        leave_out_what_is_zero(&mut rows);
        assert_eq!(
            csv(&rows),
            "variant,reached_s,duck_x_m,verdict\n\"calm\",1.0,3.0,\"stable\"\n\
             \"wild \"\"x\"\", y\",,,\"exploded at 0.5 s\"\n\"refused\",,,\"refused: \"\"no\"\"\"\n"
        );
        let table = table(&rows);
        assert!(table.contains("calm (a=1): stable"), "{table}");
        assert!(table.contains("refused (a=1): refused: \"no\""), "{table}");
        assert!(!table.contains("duck z"), "{table}");
    }

    #[test]
    fn json_stays_valid_whatever_was_measured() {
        let text = json("a \"scene\"", &rows());
        let values: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(values[0]["figures"]["duck_x_m"], 3.0);
        assert_eq!(values[1]["figures"]["reached_s"], Value::Null);
        assert_eq!(values[2]["finished"], false);
    }

    #[test]
    fn wide_tables_are_cut() {
        let many: Vec<Row> = (0..30)
            .map(|k| row(&format!("variant number {k}"), &[("reached_s", 1.0)], None))
            .collect();
        let table = table(&many);
        assert!(table.lines().all(|line| line.chars().count() <= 150), "{table}");
        assert_eq!(table.matches("reached s").count(), 5, "{table}");
    }
}
