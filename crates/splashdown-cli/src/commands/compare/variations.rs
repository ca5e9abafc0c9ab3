//! What a comparison runs: combinations of what the command line asks for, or what can differ in
//! the scene.

use splashdown::compare::choices::{Choice, choices, has_bodies, has_fluid};
use splashdown::scene::Scene;

use crate::arguments::{CompareArguments, PRESSURE, STEPPER, Variant};
use crate::failure::Failure;

/// More combinations than this are a slip.
const MOST: usize = 500;

/// All runs of a comparison. Several things to vary make all combinations of their values.
pub(super) fn variations(
    arguments: &CompareArguments,
    set: &[String],
    scene: &Scene,
) -> Result<Vec<Choice>, Failure> {
    let mut axes = Vec::new();
    if !arguments.methods.is_empty() {
        axes.push(methods(&arguments.methods, scene)?);
    }
    for text in &arguments.vary {
        axes.push(values(arguments, set, text)?);
    }
    if !arguments.dt.is_empty() {
        axes.push(arguments.dt.iter().map(|dt| time_step(*dt)).collect::<Result<_, _>>()?);
    }
    if axes.is_empty() {
        return automatic(scene);
    }
    let count = axes.iter().map(Vec::len).fold(1, usize::saturating_mul);
    if count > MOST {
        return Err(Failure::Usage(format!("{count} combinations are too many: at most {MOST}")));
    }
    let nothing = Choice { name: String::new(), overrides: Vec::new() };
    Ok(axes.iter().fold(vec![nothing], |all, axis| {
        all.iter().flat_map(|first| axis.iter().map(|second| both(first, second))).collect()
    }))
}

fn both(first: &Choice, second: &Choice) -> Choice {
    let name = format!("{} {}", first.name, second.name).trim().to_owned();
    Choice { name, overrides: [&first.overrides[..], &second.overrides[..]].concat() }
}

/// The scene as it is, and with each of the other methods that apply to it.
fn automatic(scene: &Scene) -> Result<Vec<Choice>, Failure> {
    let others = choices(scene);
    if others.is_empty() {
        return Err(Failure::Usage(format!(
            "there is no other method for anything in {}; compare values of its keys: \
             --vary simulation.spacing=0.02,0.01",
            scene.name
        )));
    }
    let written = Choice { name: "as written".to_owned(), overrides: Vec::new() };
    Ok(std::iter::once(written).chain(others).collect())
}

fn methods(variants: &[Variant], scene: &Scene) -> Result<Vec<Choice>, Failure> {
    let (bodies, fluid) = (has_bodies(&scene.file), has_fluid(&scene.file));
    for method in variants.iter().flat_map(|variant| &variant.methods) {
        let missing = match (method.key, method.word.name) {
            (PRESSURE | STEPPER, _) if !fluid => "no fluid",
            (PRESSURE | STEPPER, _) => continue,
            _ if !bodies => "no rigid bodies that move",
            (_, "weak") if !fluid => "no fluid that its bodies could be coupled to",
            _ => continue,
        };
        let names: Vec<String> = choices(scene).into_iter().map(|choice| choice.name).collect();
        let can = match names.is_empty() {
            true => "compare values of its keys with --vary key=a,b".to_owned(),
            false => format!("what can differ in it: {}", names.join(", ")),
        };
        let word = method.word.name;
        return Err(Failure::Usage(format!(
            "--methods: {word} makes no difference, {} has {missing}; {can}",
            scene.name
        )));
    }
    let choice = |variant: &Variant| Choice {
        name: variant.name.clone(),
        overrides: variant.methods.iter().flat_map(|method| method.overrides()).collect(),
    };
    Ok(variants.iter().map(choice).collect())
}

fn time_step(dt: f64) -> Result<Choice, Failure> {
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(Failure::Usage(format!("--dt {dt}: must be above 0 s")));
    }
    let name = format!("{} ms", (dt * 1e9).round() / 1e6);
    Ok(Choice { name, overrides: vec![format!("time_step={{ fixed = {dt:?} }}")] })
}

/// The values of `--vary key=a,b`. Each must be a value of that key; what several of them do to
/// each other is found when they are run.
fn values(
    arguments: &CompareArguments,
    set: &[String],
    text: &str,
) -> Result<Vec<Choice>, Failure> {
    let wrong = |what: &str| {
        Failure::Usage(format!("--vary {text}: {what} (write path.to.key=first,second)"))
    };
    let (key, list) = text.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
    let mut found = Vec::new();
    for value in split(list) {
        if value.is_empty() {
            return Err(wrong("has an empty value"));
        }
        let change = format!("{}={value}", key.trim());
        let overrides = [set, std::slice::from_ref(&change)].concat();
        if let Err(errors) = Scene::open(&arguments.scene, &overrides) {
            let caused =
                |e: &&splashdown::scene::SceneError| e.from_override.as_ref() == Some(&change);
            let own: Vec<String> =
                errors.errors.iter().filter(caused).map(ToString::to_string).collect();
            if !own.is_empty() {
                return Err(Failure::Usage(format!("--vary {change}: {}", own.join("; "))));
            }
        }
        found.push(Choice { name: change.replace('"', ""), overrides: vec![change] });
    }
    Ok(found)
}

/// Splits at commas outside of brackets and quotes: `[0, 1],[2, 3]` are two values.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut escaped) = (0i32, None, false);
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if c == open && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth <= 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    parts.push(list[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_at_commas_outside_of_brackets_and_quotes() {
        assert_eq!(split("0.02, 0.01"), ["0.02", "0.01"]);
        assert_eq!(split("[0, -9.81, 0],[0, 0, 0]"), ["[0, -9.81, 0]", "[0, 0, 0]"]);
        assert_eq!(split("{ xsph = { strength = 0.1, boundary = 0 } },{ none = {} }").len(), 2);
        assert_eq!(split(r#""a, \" b",'c, d',max(1, 2)"#), [r#""a, \" b""#, "'c, d'", "max(1, 2)"]);
        assert_eq!(split("a,,b"), ["a", "", "b"]);
    }

    #[test]
    fn several_things_make_all_combinations() {
        let axis = |names: [&str; 2]| {
            names.map(|n| Choice { name: n.to_owned(), overrides: vec![n.to_owned()] }).to_vec()
        };
        let all = axis(["a", "b"])
            .iter()
            .flat_map(|x| axis(["c", "d"]).iter().map(|y| both(x, y)).collect::<Vec<_>>())
            .collect::<Vec<_>>();
        let names: Vec<&str> = all.iter().map(|choice| choice.name.as_str()).collect();
        assert_eq!(names, ["a c", "a d", "b c", "b d"]);
        assert_eq!(all[1].overrides, ["a", "d"]);
    }
}
