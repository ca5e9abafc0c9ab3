//! A tree of boxes: which of many boxes overlap a given one.

use glam::DVec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub min: DVec3,
    /// Upper corner.
    pub max: DVec3,
}

impl Bounds {
    /// The box that contains nothing.
    pub const EMPTY: Bounds = Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around `points`.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Bounds {
        points
            .into_iter()
            .fold(Bounds::EMPTY, |b, p| Bounds { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    pub fn join(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Larger by `margin` on every side.
    pub fn grown(self, margin: f64) -> Bounds {
        Bounds { min: self.min - margin, max: self.max + margin }
    }

    /// Whether they have a point in common.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// Boxes per leaf.
const LEAF: usize = 4;

/// A tree over boxes that are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    boxes: Vec<(u32, Bounds)>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    /// Of a leaf: its boxes. Of another: the second child; the first one follows the node.
    first: u32,
    /// Zero for inner nodes.
    count: u32,
}

impl Bvh {
    /// The tree depends on the boxes alone.
    pub fn new(bounds: &[Bounds]) -> Bvh {
        let boxes = (0u32..).zip(bounds.iter().copied()).collect();
        let mut tree = Bvh { nodes: Vec::with_capacity(bounds.len()), boxes };
        if !bounds.is_empty() {
            tree.split(0, bounds.len());
        }
        tree
    }

    fn split(&mut self, start: usize, end: usize) {
        let part = &mut self.boxes[start..end];
        let bounds = part.iter().fold(Bounds::EMPTY, |all, (_, b)| all.join(*b));
        let node = self.nodes.len();
        let (first, count) = (start as u32, (end - start) as u32);
        self.nodes.push(Node { bounds, first, count });
        if part.len() <= LEAF {
            return;
        }
        let centre = |b: &Bounds| b.min + b.max;
        let spread = Bounds::around(part.iter().map(|(_, b)| centre(b)));
        let size = spread.max - spread.min;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let middle = part.len() / 2;
        part.select_nth_unstable_by(middle, |(i, a), (j, b)| {
            centre(a)[axis].total_cmp(&centre(b)[axis]).then(i.cmp(j))
        });
        self.split(start, start + middle);
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].count = 0;
        self.split(start + middle, end);
    }

    /// Calls `found` with the number of every box that overlaps `query`, in an order that depends
    /// on the boxes alone.
    pub fn overlapping(&self, query: &Bounds, mut found: impl FnMut(u32)) {
        let mut open = vec![0u32];
        while let Some(index) = open.pop() {
            let Some(node) = self.nodes.get(index as usize) else { continue };
            if !node.bounds.overlaps(query) {
                continue;
            }
            if node.count == 0 {
                open.extend([node.first, index + 1]);
            }
            let leaf = node.first as usize..(node.first + node.count) as usize;
            if node.count > 0 {
                for (k, bounds) in &self.boxes[leaf] {
                    if bounds.overlaps(query) {
                        found(*k);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::Random;

    #[test]
    fn finds_what_comparing_all_finds() {
        let mut random = Random::new(13);
        for count in [0, 1, 4, 5, 200] {
            let boxes: Vec<Bounds> = (0..count)
                .map(|k| {
                    let centre = random.vector();
                    // A huge one among small ones, and many at one place.
                    let size = if k == 7 { 5.0 } else { 0.1 * random.unit() };
                    let centre = if k % 5 == 0 { DVec3::ZERO } else { centre };
                    Bounds { min: centre, max: centre }.grown(size)
                })
                .collect();
            let tree = Bvh::new(&boxes);
            for _ in 0..50 {
                let centre = random.vector();
                let query = Bounds { min: centre, max: centre }.grown(0.2 * random.unit());
                let mut found = Vec::new();
                tree.overlapping(&query, |k| found.push(k));
                found.sort_unstable();
                let all = (0u32..).zip(&boxes).filter(|(_, b)| b.overlaps(&query));
                assert_eq!(found, all.map(|(k, _)| k).collect::<Vec<_>>());
            }
        }
    }
}
