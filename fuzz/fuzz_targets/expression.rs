//! Any text is a formula or is refused with a place inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use splashdown::expression::Expression;

fuzz_target!(|text: &str| {
    match Expression::compile(text, &["t", "x"]) {
        Ok(formula) => {
            for t in [0.0, -1.5, 1e300, f64::NAN] {
                let first = formula.evaluate(&[t, 2.0]);
                assert_eq!(first.to_bits(), formula.evaluate(&[t, 2.0]).to_bits());
            }
        }
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end <= text.len());
            let ends = [error.span.start, error.span.end];
            assert!(ends.into_iter().all(|at| text.is_char_boundary(at)));
        }
    }
});
