//! Damaged scenes are read or refused, but never panic or hang.

use proptest::prelude::*;

use super::*;
use crate::scene::errors::line_and_column;

/// A small change to a text.
#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, u8),
    Delete(usize, usize),
    RepeatLine(usize),
    SwapLines(usize, usize),
    Insert(usize, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = prop::sample::select(vec![
        "\"",
        "[",
        "]",
        "{",
        "}",
        "=",
        "\n",
        "nan",
        "-1",
        "1e308",
        "1e-308",
        "99999999999999999999",
        "é",
        "[[fluid]]\n",
        "'''",
        "0",
        ".",
        "\"t\"",
        "[0, 0]",
        "[]",
        "{}",
        "true",
    ]);
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        (any::<usize>(), 1..40usize).prop_map(|(at, count)| Damage::Delete(at, count)),
        any::<usize>().prop_map(Damage::RepeatLine),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        (any::<usize>(), words).prop_map(|(at, word)| Damage::Insert(at, word)),
    ]
}

fn apply(text: &str, damage: &Damage) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut lines: Vec<&str> = text.split('\n').collect();
    if bytes.is_empty() {
        return String::new();
    }
    let n = bytes.len();
    match damage {
        Damage::Flip(at, byte) => bytes[at % n] = *byte,
        Damage::Delete(at, count) => {
            bytes.drain(at % n..(at % n + count).min(n));
        }
        Damage::Insert(at, word) => {
            bytes.splice(at % n..at % n, word.bytes());
        }
        Damage::RepeatLine(at) => {
            let at = at % lines.len();
            lines.insert(at, lines[at]);
            return lines.join("\n");
        }
        Damage::SwapLines(a, b) => {
            let count = lines.len();
            lines.swap(a % count, b % count);
            return lines.join("\n");
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_scenes_are_read_or_refused(
        which in 0..gallery::list().len(),
        damages in prop::collection::vec(damage(), 1..6),
    ) {
        let whole = gallery::list()[which].text.to_string();
        let text = damages.iter().fold(whole, |t, d| apply(&t, d));
        if let Err(errors) = parse(&text) {
            prop_assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                if let Some(span) = &error.span {
                    prop_assert!(text.get(span.clone()).is_some(), "{errors}");
                    prop_assert_eq!((error.line, error.column), line_and_column(&text, span.start));
                }
            }
        }
    }

    #[test]
    fn any_override_is_applied_or_refused(text in "[a-z0-9.=\\[\\]{}\" -]{0,40}") {
        let _ = with(&[&text]).map_err(|errors| errors.to_string());
    }

    #[test]
    fn overrides_of_known_keys_are_applied_or_refused(
        key in prop::sample::select(vec![
            "simulation.spacing", "simulation.gravity", "fluid.0.fill.0.shape.box.size",
            "fluid.0.density", "time_step.fixed", "fluid.water.viscosity", "output.formats",
            "simulation.dimension", "fluid",
        ]),
        value in prop_oneof![
            "-?[0-9]{1,3}(\\.[0-9]{1,3})?(e-?[0-9]{1,3})?",
            "[a-z]{0,6}",
            "\\[[0-9, -]{0,10}\\]"
        ],
    ) {
        let _ = with(&[&format!("{key}={value}")]).map_err(|errors| errors.to_string());
    }
}
