//! Tables of a run, read for plotting.

/// A table with a header.
#[derive(Clone, Debug, Default)]
pub struct Csv {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Csv {
    /// Reads a table; rows that are not whole, as the last one of a running run may be, are left
    /// out.
    pub fn parse(text: &str) -> Csv {
        let mut lines = text.lines().map(cells);
        let header = lines.next().unwrap_or_default();
        let rows = lines.filter(|row| row.len() == header.len()).collect();
        Csv { header, rows }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.header
    }

    /// The texts of a column; none if there is no such column.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.header.iter().position(|column| column == name) {
            Some(k) => self.rows.iter().map(|row| row[k].as_str()).collect(),
            None => Vec::new(),
        }
    }

    /// The numbers of a column; what is no number is NaN.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.texts(name).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
    }
}

/// The cells of a line, of which some may be quoted.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let table = Csv::parse("t,body,x\n0.5,\"a,\"\"b\"\"\",1e-3\n1,c,NaN\n2,half");
        assert_eq!(table.numbers("t"), [0.5, 1.0]);
        assert_eq!(table.texts("body"), ["a,\"b\"", "c"]);
        assert!(table.numbers("x")[1].is_nan() && table.numbers("y").is_empty());
        assert!(Csv::parse("").numbers("t").is_empty());
    }
}
