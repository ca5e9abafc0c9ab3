use super::*;
use proptest::prelude::*;

fn value(text: &str) -> f64 {
    Expression::compile(text, &["t"]).unwrap_or_else(|e| panic!("{text}: {e}")).evaluate(&[2.0])
}

#[test]
fn operators_bind_as_on_paper() {
    assert_eq!(value("1 + 2*3"), 7.0);
    assert_eq!(value("2^3^2"), 512.0);
    assert_eq!(value("-2^2"), -4.0);
    assert_eq!(value("2^-1"), 0.5);
    assert_eq!(value("8/4/2"), 1.0);
    assert_eq!(value("--3 - -1"), 4.0);
    assert_eq!(value("1e3 + .5"), 1000.5);
    assert_eq!(value("2*e"), 2.0 * std::f64::consts::E);
}

#[test]
fn functions_have_their_usual_values() {
    assert_eq!(value("sin(pi/2) + cos(0)"), 2.0);
    assert_eq!(value("max(t, min(7, 5))"), 5.0);
    assert_eq!(value("step(t - 2) + step(t - 3)"), 1.0);
    assert_eq!(value("smoothstep(1, 3, t)"), 0.5);
    assert_eq!(value("mod(-1, 3)"), 2.0);
    assert_eq!(value("atan2(1, 1) * 4"), std::f64::consts::PI);
    assert_eq!(value("pow(t, 3) - t^3"), 0.0);
}

#[test]
fn errors_say_where_what_and_the_nearest_name() {
    let error = |text| Expression::compile(text, &["t"]).unwrap_err();
    let e = error("1 + sinn(t)");
    assert_eq!((e.span, e.help.as_deref()), (4..8, Some("did you mean `sin`?")));
    let e = error("2 * ");
    assert_eq!(
        (e.span, e.message.as_str()),
        (4..4, "expected a number, a name or `(`, found the end")
    );
    assert_eq!(error("2 t").message, "expected an operator or the end, found `t`");
    assert_eq!(error("atan2(1)").message, "`atan2` takes 2 arguments, not 1");
    assert_eq!(error("(1").message, "expected `)`, found the end");
    assert_eq!(error("1e999").message, "`1e999` is not a finite number");
    assert_eq!(error("é").span, 0..2);
    assert_eq!(error("").span, 0..0);
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    for opening in ["(", "sin(", "2^", "1+(", "max(1,"] {
        assert!(Expression::compile(&opening.repeat(1500), &[]).is_err(), "{opening}");
    }
    assert_eq!(value(&format!("{}1", "-".repeat(1000))), 1.0);
    assert_eq!(value(&format!("1{}", "+1".repeat(999))), 1000.0);
    assert!(Expression::compile(&"1+".repeat(MAX_LENGTH), &[]).is_err());
}

/// An expression as text together with its value for t = 2, by an independent evaluation.
fn arithmetic() -> impl Strategy<Value = (String, f64)> {
    let leaf = prop_oneof![
        (0.0..100.0f64).prop_map(|x| (format!("{x:?}"), x)),
        Just(("t".to_string(), 2.0)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        (inner.clone(), inner, 0..5usize).prop_map(|((a, x), (b, y), operator)| match operator {
            0 => (format!("({a} + {b})"), x + y),
            1 => (format!("({a}-{b})"), x - y),
            2 => (format!("({a} * {b})"), x * y),
            3 => (format!("max({a},{b})"), x.max(y)),
            _ => (format!("-({a})"), -x),
        })
    })
}

proptest! {
    #[test]
    fn compiled_values_equal_direct_ones((text, expected) in arithmetic()) {
        prop_assert_eq!(value(&text), expected);
    }

    #[test]
    fn any_text_is_compiled_or_refused(text in "[-+*/^()., t0-9a-z]{0,60}") {
        match Expression::compile(&text, &["t"]) {
            Ok(expression) => { expression.evaluate(&[0.3]); }
            Err(error) => prop_assert!(error.span.end <= text.len()),
        }
    }

    #[test]
    fn any_unicode_is_compiled_or_refused(text in "\\PC{0,40}") {
        if let Err(error) = Expression::compile(&text, &["t"]) {
            prop_assert!(text.get(error.span).is_some());
        }
    }
}
