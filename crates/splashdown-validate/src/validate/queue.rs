//! Cases side by side, their results in order.
//!
//! Every case has a thread of its own that waits wherever it computes in parallel: that happens on
//! the one pool that all share, so that the last case has all cores. Sums do not depend on the
//! number of threads, and so no case depends on who else runs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Case, Cost, Curve, Metric};

/// What happens to a case, in this order.
pub enum Event {
    /// It is the next of which something is told.
    Started,
    /// It has measured something.
    Measured(Metric),
    /// It is done.
    Ended(Done),
}

/// What is known when a case is done.
pub struct Done {
    /// Its metrics in the order of measurement.
    pub metrics: Vec<Metric>,
    /// Curves over known answers.
    pub curves: Vec<Curve>,
    /// How long it took.
    pub time: Duration,
}

/// Runs `cases`, `jobs` at a time, and tells of them in their order: of the first that is not done
/// at once, of later ones when it is their turn. Cases of hours, which are also those that need
/// much memory, run one by one after all others.
pub fn side_by_side(
    cases: &[&'static Case],
    jobs: usize,
    mut tell: impl FnMut(&'static Case, Event),
) {
    let (long, short): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.cost == Cost::Hours);
    run_queue(&short, jobs, &mut tell);
    run_queue(&long, 1, &mut tell);
}

fn run_queue(cases: &[&'static Case], jobs: usize, tell: &mut impl FnMut(&'static Case, Event)) {
    let next = AtomicUsize::new(0);
    let (to_teller, events) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let (next, to_teller) = (&next, to_teller.clone());
            scope.spawn(move || {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(case, &to_teller);
                }
            });
        }
        drop(to_teller); // Or the loop below would wait for events of this thread.
        let mut waiting: VecDeque<(&'static Case, Event)> = VecDeque::new();
        let mut turn = 0;
        for event in events {
            waiting.push_back(event);
            turn = tell_in_turn(cases, turn, &mut waiting, tell);
        }
    });
}

/// Tells what waits of the case whose turn it is, and of those after it when it is done; returns
/// whose turn it is then.
fn tell_in_turn(
    cases: &[&'static Case],
    mut turn: usize,
    waiting: &mut VecDeque<(&'static Case, Event)>,
    tell: &mut impl FnMut(&'static Case, Event),
) -> usize {
    let is_of = |case: &Case, turn: usize| cases.get(turn).is_some_and(|c| c.name == case.name);
    while let Some(place) = waiting.iter().position(|(case, _)| is_of(case, turn)) {
        let Some((case, event)) = waiting.remove(place) else { break };
        turn += usize::from(matches!(event, Event::Ended(_)));
        tell(case, event);
    }
    turn
}

fn run(case: &'static Case, events: &Sender<(&'static Case, Event)>) {
    // Nobody listens any more when the teller has panicked: then the case may go on in vain.
    let send = move |events: &Sender<_>, event| drop(events.send((case, event)));
    send(events, Event::Started);
    let start = Instant::now();
    let report = case.measure({
        let events = events.clone();
        move |metric| send(&events, Event::Measured(metric.clone()))
    });
    let time = start.elapsed();
    send(events, Event::Ended(Done { metrics: report.metrics, curves: report.curves, time }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::Report;

    fn case(name: &'static str, cost: Cost, run: fn(&mut Report) -> Result<(), String>) -> Case {
        Case { name, summary: "", source: "", by_name: false, cost, run }
    }

    fn slow(report: &mut Report) -> Result<(), String> {
        report.note("a", 1.0, 1.0);
        thread::sleep(Duration::from_millis(30));
        report.note("b", 2.0, 2.0);
        Ok(())
    }

    fn fast(report: &mut Report) -> Result<(), String> {
        report.note("c", 3.0, 3.0);
        Err("why".to_owned())
    }

    #[test]
    fn results_are_told_in_order_on_any_number_of_jobs() {
        let cases = [
            case("long", Cost::Hours, fast),
            case("slow", Cost::Seconds, slow),
            case("fast", Cost::Seconds, fast),
            case("last", Cost::Minutes, slow),
        ];
        // Tests may leak: cases live as long as the program.
        let cases: Vec<&'static Case> =
            cases.into_iter().map(|case| &*Box::leak(Box::new(case))).collect();
        for jobs in [0, 1, 2, 9] {
            let mut told = Vec::new();
            side_by_side(&cases, jobs, |case, event| {
                told.push(match event {
                    Event::Started => format!("{} starts", case.name),
                    Event::Measured(metric) => metric.metric,
                    Event::Ended(done) => format!("{} of {}", done.metrics.len(), case.name),
                });
            });
            assert_eq!(
                told,
                [
                    "slow starts",
                    "a",
                    "b",
                    "2 of slow",
                    "fast starts",
                    "c",
                    "completed (why)",
                    "2 of fast",
                    "last starts",
                    "a",
                    "b",
                    "2 of last",
                    "long starts",
                    "c",
                    "completed (why)",
                    "2 of long",
                ]
            );
        }
    }
}
