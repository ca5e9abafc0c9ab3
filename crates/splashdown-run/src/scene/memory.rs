//! How much memory a scene may take: as told, or a share of what the machine gives this process.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Share of the machine's memory that a scene may take, unless told otherwise.
const SHARE: f64 = 0.75;
/// Where a machine does not say what it has, it is taken to have this much, bytes.
const ASSUMED: u64 = 8 << 30;

/// How much memory a scene may take, and who says so.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// Where the number comes from, as part of a sentence.
    pub reason: String,
}

impl Default for MemoryLimit {
    fn default() -> Self {
        MemoryLimit::share(SHARE)
    }
}

impl MemoryLimit {
    /// A share of what this process can have.
    fn share(share: f64) -> MemoryLimit {
        let (bytes, whose) = available();
        let reason = format!("{:.0} % of {whose}, {}", 100.0 * share, Bytes(bytes.into()));
        MemoryLimit { bytes: (share * bytes as f64) as u64, reason }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", Bytes(self.bytes.into()), self.reason)
    }
}

impl FromStr for MemoryLimit {
    type Err = String;

    /// `8G`, `512M`, `50%`, or bytes.
    fn from_str(text: &str) -> Result<MemoryLimit, String> {
        let help =
            || "write a size like 8G or 512M, or a share of the machine's like 50%".to_owned();
        let trimmed = text.trim();
        let end = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%').len();
        let (number, unit) = trimmed.split_at(end);
        let number: f64 = number.trim().parse().map_err(|_| help())?;
        let factor = match unit.to_ascii_uppercase().as_str() {
            "%" if number > 0.0 && number <= 100.0 => {
                return Ok(MemoryLimit::share(number / 100.0));
            }
            "" | "B" => 1.0,
            "K" | "KB" => 1e3,
            "M" | "MB" => 1e6,
            "G" | "GB" => 1e9,
            "T" | "TB" => 1e12,
            "KIB" => 1024.0,
            "MIB" => 1024f64.powi(2),
            "GIB" => 1024f64.powi(3),
            "TIB" => 1024f64.powi(4),
            _ => return Err(help()),
        };
        let bytes = number * factor;
        // Smaller than any scene is a slip: `--memory 8` is not 8 bytes.
        if !(bytes >= 1e6 && bytes.is_finite()) {
            return Err(format!("must be at least 1M; {}", help()));
        }
        Ok(MemoryLimit { bytes: bytes as u64, reason: format!("--memory {trimmed}") })
    }
}

/// A number of bytes for people, in powers of ten.
pub(crate) struct Bytes(pub u128);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..10_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            10_000_000..1_000_000_000 => write!(f, "{:.0} MB", bytes / 1e6),
            1_000_000_000..1_000_000_000_000 => write!(f, "{:.1} GB", bytes / 1e9),
            1_000_000_000_000..1_000_000_000_000_000 => write!(f, "{:.1} TB", bytes / 1e12),
            _ => write!(f, "{:.0e} TB", bytes / 1e12),
        }
    }
}

/// The least of what the machine has, what its container may use and what the shell allows, bytes;
/// and which one it is.
fn available() -> (u64, &'static str) {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let all = [
        (machine(read), "this machine's memory"),
        (container(read), "the memory of this container"),
        (shell(read), "what `ulimit -v` allows"),
    ];
    let known = all.into_iter().filter_map(|(bytes, whose)| Some((bytes?, whose)));
    known.min_by_key(|(bytes, _)| *bytes).unwrap_or((ASSUMED, "what this machine is taken to have"))
}

/// MemTotal of Linux.
fn machine(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let text = read(Path::new("/proc/meminfo"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The least limit of the control groups that this process is in, of both versions.
fn container(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|c| c == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // A group obeys all that it is part of. Seen from inside a container, its own group is the
        // root.
        for part in Path::new(group.trim_start_matches('/')).ancestors() {
            let limit = read(&Path::new(root).join(part).join(file));
            let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
            least = least.into_iter().chain(limit).min();
        }
    }
    least
}

/// The soft limit of address space.
fn shell(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let text = read(Path::new("/proc/self/limits"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<u64, String> {
        text.parse::<MemoryLimit>().map(|limit| limit.bytes)
    }

    #[test]
    fn limits_are_sizes_or_shares() {
        assert_eq!(parse("8G"), Ok(8_000_000_000));
        assert_eq!(parse("512M"), Ok(512_000_000));
        assert_eq!(parse(" 1.5 GiB"), Ok(3 << 29));
        assert_eq!(parse("2000000"), Ok(2_000_000));
        let all = parse("100%").unwrap();
        assert!(all > 0 && parse("50%").unwrap().abs_diff(all / 2) <= 1);
        for bad in ["", "8", "G", "0%", "101%", "-1G", "nan", "infG", "8X", "1e400G"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_are_short() {
        assert_eq!(Bytes(1_500_000).to_string(), "1.5 MB");
        assert_eq!(Bytes(41_260_000_000).to_string(), "41.3 GB");
        assert_eq!(Bytes(u128::MAX).to_string(), "3e26 TB");
    }

    #[test]
    fn the_least_of_all_groups_counts() {
        let files = |path: &Path| {
            let text = match path.to_str()? {
                "/proc/meminfo" => "MemTotal:       1000 kB\nMemFree: 10 kB\n",
                "/proc/self/cgroup" => "4:cpu,memory:/a/b\n0::/c/d\n",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes" => "9223372036854771712\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "700000\n",
                "/sys/fs/cgroup/c/d/memory.max" => "max\n",
                "/sys/fs/cgroup/c/memory.max" => "500000\n",
                "/proc/self/limits" => "Max address space         600000     unlimited   bytes\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(machine(files), Some(1_024_000));
        assert_eq!(container(files), Some(500_000));
        assert_eq!(shell(files), Some(600_000));
        assert_eq!(container(|_| None), None);
    }
}
