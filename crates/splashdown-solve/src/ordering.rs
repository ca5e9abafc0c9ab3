//! In which order the unknowns of a sparse system are eliminated: nested dissection (George 1973)
//! along the axes of space.
//!
//! The vertices are cut in two by a plane; those of one side that touch the other side come last,
//! and each rest is cut again. The order depends on the pattern and the places alone, so that a run
//! that is resumed has the same, and it is found block by block: a ninth of the entries that an
//! ordering of numbers has to look at.

use glam::DVec3;

/// Parts of at most this many unknowns are not cut any more.
const SMALL: usize = 24;
/// Marks what is not there.
const NONE: u32 = u32::MAX;

/// Column and row of a block, sorted as it is stored.
pub type Key = u64;

/// The key of the block that couples unknowns `a` and `b`, wherever it lies.
pub fn key(a: u32, b: u32) -> Key {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// Unknowns in the order of their elimination. `keys` are the blocks on and below the diagonal,
/// `places` where the unknowns are.
pub fn nested_dissection(keys: &[Key], places: &[DVec3]) -> Vec<u32> {
    let graph = Graph::new(keys, places.len());
    let mut rest: Vec<u32> = (0..places.len() as u32).collect();
    let mut cut = Cut { graph: &graph, places, side: vec![NONE; places.len()], cuts: 0 };
    let mut order = Vec::with_capacity(places.len());
    cut.dissect(&mut rest, &mut order);
    postordered(&graph, &order)
}

/// Who is coupled to whom.
struct Graph {
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Graph {
    fn new(keys: &[Key], size: usize) -> Graph {
        let pairs = || keys.iter().map(|&k| ((k >> 32) as u32, k as u32)).filter(|(a, b)| a != b);
        let mut starts = vec![0u32; size + 1];
        for (a, b) in pairs() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        (0..size).for_each(|k| starts[k + 1] += starts[k]);
        let mut next = starts.clone();
        let mut others = vec![0; starts[size] as usize];
        for (a, b) in pairs() {
            for (from, to) in [(a, b), (b, a)] {
                others[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Graph { starts, others }
    }

    fn of(&self, v: u32) -> &[u32] {
        &self.others[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

struct Cut<'a> {
    graph: &'a Graph,
    places: &'a [DVec3],
    /// Number of the last cut that put a vertex on its near side (even) or its far side (odd).
    side: Vec<u32>,
    cuts: u32,
}

impl Cut<'_> {
    /// Appends `part` to `order`.
    fn dissect(&mut self, part: &mut [u32], order: &mut Vec<u32>) {
        let middle = if part.len() > SMALL { self.halve(part) } else { part.len() };
        if middle == part.len() {
            order.extend_from_slice(part);
            return;
        }
        let [near, far] = [2 * self.cuts, 2 * self.cuts + 1];
        self.cuts += 1;
        part[..middle].iter().for_each(|&v| self.side[v as usize] = near);
        part[middle..].iter().for_each(|&v| self.side[v as usize] = far);
        let touches =
            |v: u32, other: u32| self.graph.of(v).iter().any(|&w| self.side[w as usize] == other);
        let count = |half: &[u32], other: u32| half.iter().filter(|&&v| touches(v, other)).count();
        let (first, second) = part.split_at(middle);
        let thin_first = count(first, far) <= count(second, near);
        let (thin, other) = if thin_first { (first, far) } else { (second, near) };
        let (border, mut inside): (Vec<u32>, Vec<u32>) =
            thin.iter().partition(|&&v| touches(v, other));
        let (first, second) = part.split_at_mut(middle);
        let whole = if thin_first { second } else { first };
        self.dissect(&mut inside, order);
        self.dissect(whole, order);
        order.extend(border);
    }

    /// Sorts `part` into two halves along its longest side, layers undivided. Returns where the
    /// second begins.
    fn halve(&self, part: &mut [u32]) -> usize {
        let at = |v: u32| self.places[v as usize];
        let (min, max) = part.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), &v| {
            (a.min(at(v)), b.max(at(v)))
        });
        let size = max - min;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let half = part.len() / 2;
        let order = |a: &u32, b: &u32| at(*a)[axis].total_cmp(&at(*b)[axis]).then(a.cmp(b));
        let (_, middle, _) = part.select_nth_unstable_by(half, order);
        let middle = at(*middle)[axis];
        part.sort_unstable_by(order);
        // Of the two borders of the layer in the middle, the one that cuts more evenly.
        let below = part.partition_point(|&v| at(v)[axis] < middle);
        let above = part.partition_point(|&v| at(v)[axis] <= middle);
        let uneven = |cut: usize| cut.abs_diff(half);
        match (below, above) {
            (0, end) if end == part.len() => half,
            (0, cut) => cut,
            (cut, end) if end == part.len() || uneven(cut) < uneven(end) => cut,
            (_, cut) => cut,
        }
    }
}

/// The same elimination, with what is eliminated into one unknown standing right before it, so that
/// columns of equal pattern are neighbours (Liu 1990).
fn postordered(graph: &Graph, order: &[u32]) -> Vec<u32> {
    let size = order.len();
    let mut number = vec![0u32; size];
    (0u32..).zip(order).for_each(|(k, &v)| number[v as usize] = k);
    // Parents in the elimination tree, with shortcuts to ancestors.
    let (mut parent, mut ancestor) = (vec![NONE; size], vec![NONE; size]);
    for (k, &v) in (0u32..).zip(order) {
        for &w in graph.of(v) {
            let mut i = number[w as usize];
            while i < k {
                let up = std::mem::replace(&mut ancestor[i as usize], k);
                if up == NONE {
                    parent[i as usize] = k;
                    break;
                }
                i = up;
            }
        }
    }
    let (mut child, mut sibling, mut roots) = (vec![NONE; size], vec![NONE; size], Vec::new());
    for k in (0..size as u32).rev() {
        match parent[k as usize] {
            NONE => roots.push(k),
            up => sibling[k as usize] = std::mem::replace(&mut child[up as usize], k),
        }
    }
    let mut sorted = Vec::with_capacity(size);
    let mut open = roots;
    while let Some(&k) = open.last() {
        match std::mem::replace(&mut child[k as usize], NONE) {
            NONE => {
                open.pop();
                sorted.push(order[k as usize]);
                // The next child of the same parent, before the parent itself.
                if sibling[k as usize] != NONE {
                    open.push(sibling[k as usize]);
                }
            }
            first => open.push(first),
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of n³ vertices, each coupled to its six neighbours.
    fn grid(n: u32) -> (Vec<Key>, Vec<DVec3>) {
        let at = |x: u32, y: u32, z: u32| (z * n + y) * n + x;
        let (mut keys, mut places) = (Vec::new(), Vec::new());
        for z in 0..n {
            for y in 0..n {
                for x in 0..n {
                    let v = at(x, y, z);
                    keys.push(key(v, v));
                    keys.extend((x > 0).then(|| key(v, at(x - 1, y, z))));
                    keys.extend((y > 0).then(|| key(v, at(x, y - 1, z))));
                    keys.extend((z > 0).then(|| key(v, at(x, y, z - 1))));
                    places.push(DVec3::new(x.into(), y.into(), z.into()));
                }
            }
        }
        keys.sort_unstable();
        (keys, places)
    }

    /// Entries of the factor, by eliminating one unknown after the other.
    fn fill(keys: &[Key], order: &[u32]) -> usize {
        let graph = Graph::new(keys, order.len());
        let mut near: Vec<std::collections::BTreeSet<u32>> =
            (0..order.len() as u32).map(|v| graph.of(v).iter().copied().collect()).collect();
        let mut entries = 0;
        for &v in order {
            let others = std::mem::take(&mut near[v as usize]);
            entries += 1 + others.len();
            for &w in &others {
                near[w as usize].remove(&v);
                near[w as usize].extend(others.iter().filter(|&&u| u != w));
            }
        }
        entries
    }

    #[test]
    fn everyone_has_one_turn_and_the_factor_is_sparse() {
        let (keys, places) = grid(9);
        let order = nested_dissection(&keys, &places);
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..729).collect::<Vec<u32>>());
        let natural: Vec<u32> = (0..729).collect();
        let (found, plain) = (fill(&keys, &order), fill(&keys, &natural));
        assert!(3 * found < 2 * plain, "{found} {plain}");
    }

    #[test]
    fn vertices_at_one_place_and_in_separate_parts_are_ordered_too() {
        let keys: Vec<Key> = (0..100).map(|k| key(k, k)).collect();
        let order = nested_dissection(&keys, &[DVec3::ONE; 100]);
        assert_eq!(order.len(), 100);
        assert!(nested_dissection(&[], &[]).is_empty());
    }
}
