//! Tables of particles: one per line, columns named x, y, z and perhaps vx, vy, vz.

use super::particle_file::ParticleFile;
use crate::math::DVec3;

/// Columns in this order if the table has no head.
const COLUMNS: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];

/// Reads a table. Fields are separated by commas, semicolons, tabs or spaces; lines that begin with
/// `#` are comments. Without a head the columns are x y [z] [vx vy vz]. A table without z is flat.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleFile, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not a text file")?;
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let Some(&(_, first)) = lines.peek() else { return Ok(ParticleFile::default()) };

    let head = fields(first);
    let has_head = head.iter().any(|field| field.parse::<f64>().is_err());
    if has_head {
        lines.next();
    }
    let column = |k: usize| {
        if has_head {
            head.iter().position(|field| field.trim_matches('"').eq_ignore_ascii_case(COLUMNS[k]))
        } else {
            (k < head.len()).then_some(k)
        }
    };
    let [x, y, z, vx, vy, vz] = [0, 1, 2, 3, 4, 5].map(column);
    let (Some(x), Some(y)) = (x, y) else {
        return Err("the first line must name the columns x, y, z (and perhaps vx, vy, vz)".into());
    };

    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    for (number, line) in lines {
        let row = fields(line);
        let value = |column: usize| {
            let field = row.get(column).ok_or(format!("line {number}: too few columns"))?;
            field.parse::<f64>().map_err(|_| format!("line {number}: '{field}' is not a number"))
        };
        let or_zero = |column: Option<usize>| column.map_or(Ok(0.0), value);
        positions.push(DVec3::new(value(x)?, value(y)?, or_zero(z)?));
        if let (Some(vx), Some(vy)) = (vx, vy) {
            velocities.push(DVec3::new(value(vx)?, value(vy)?, or_zero(vz)?));
        }
    }
    let velocities = (vx.is_some() && vy.is_some()).then_some(velocities);
    Ok(ParticleFile { positions, velocities })
}

fn fields(line: &str) -> Vec<&str> {
    if line.contains([',', ';']) {
        line.split([',', ';']).map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fmt::Write;

    pub(crate) fn write(file: &ParticleFile) -> Vec<u8> {
        let mut text = String::from("x,y,z,vx,vy,vz\n");
        for (p, v) in file.positions.iter().zip(file.velocities.as_ref().unwrap()) {
            writeln!(text, "{},{},{},{},{},{}", p.x, p.y, p.z, v.x, v.y, v.z).unwrap();
        }
        text.into_bytes()
    }

    #[test]
    fn heads_may_be_missing_or_in_another_order() {
        let p = DVec3::new(1.0, 2.0, 3.0);
        for text in [
            "1 2 3\n",
            "# a comment\n\n1;2;3",
            "Z, id, X, Y\r\n3, 7, 1, 2\r\n",
            "\u{feff}\"x\",y,z\n1,2,3",
        ] {
            let file = parse(text.as_bytes()).unwrap();
            assert_eq!(file.positions, [p], "{text:?}");
            assert_eq!(file.velocities, None);
        }
        assert_eq!(parse(b"x,y\n1,2\n").unwrap().positions, [DVec3::new(1.0, 2.0, 0.0)]);
        assert!(parse(b"a,b\n1,2\n").is_err());
        assert!(parse(b"x,y,z\n1,2\n").unwrap_err().contains("line 2"));
    }
}
