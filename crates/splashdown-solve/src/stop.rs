//! A request to stop, which long computations look at.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often somebody who waits looks for a request.
const PATIENCE: Duration = Duration::from_millis(20);

/// Whether somebody wants a computation to stop. Whoever asks writes something else than zero;
/// nothing is lost by that: what is computed at the moment is forgotten, and the state is as it was
/// before.
#[derive(Clone, Copy, Default)]
pub struct Stop(Option<&'static AtomicUsize>);

impl Stop {
    /// Looks at `request`.
    pub fn at(request: &'static AtomicUsize) -> Stop {
        Stop(Some(request))
    }

    /// Whether it was asked for.
    pub fn asked(self) -> bool {
        self.0.is_some_and(|request| request.load(Ordering::Relaxed) != 0)
    }

    /// What `job` finds. It cannot look for requests itself, so it runs on a thread of its own;
    /// when somebody asks to stop, nobody waits for it any longer, and what it finds is dropped.
    pub fn unless_asked<T: Send + 'static>(
        self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.0.is_none() {
            return Some(job());
        }
        let (found, wait) = channel();
        let job = Arc::new(Mutex::new(Some(job)));
        let take =
            |job: &Mutex<Option<_>>| job.lock().unwrap_or_else(PoisonError::into_inner).take();
        let theirs = Arc::clone(&job);
        let work = move || take(&theirs).map(|job| found.send(job()).ok());
        let Ok(worker) = thread::Builder::new().spawn(work) else {
            // There is no thread to be had.
            return take(&job).map(|job| job());
        };
        loop {
            match wait.recv_timeout(PATIENCE) {
                Ok(found) => return Some(found),
                Err(RecvTimeoutError::Timeout) if self.asked() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return worker.join().map_or_else(|panic| resume_unwind(panic), |_| None);
                }
            }
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.asked()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_done_unless_somebody_asks_to_stop() {
        static CALM: AtomicUsize = AtomicUsize::new(0);
        static ASKED: AtomicUsize = AtomicUsize::new(1);
        let hour = || thread::sleep(Duration::from_secs(3600));
        assert_eq!(Stop::default().unless_asked(|| 7), Some(7));
        assert_eq!(Stop::at(&CALM).unless_asked(|| 7), Some(7));
        assert_eq!(Stop::at(&ASKED).unless_asked(hour), None);
    }

    #[test]
    #[should_panic(expected = "from the job")]
    fn a_panic_of_the_job_is_one_of_whoever_waits() {
        static CALM: AtomicUsize = AtomicUsize::new(0);
        Stop::at(&CALM).unless_asked(|| panic!("from the job"));
    }
}
