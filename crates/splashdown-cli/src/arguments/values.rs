//! Values on the command line that are more than numbers and paths: what can be written, and what
//! it means.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use splashdown::scene::gallery;
use splashdown::scene::schema::{self, Word};

/// A scene file, or the name of a built-in scene. Shells complete the names; any other text is a
/// file.
#[derive(Clone, Debug)]
pub(crate) struct SceneName;

impl TypedValueParser for SceneName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(gallery::list().iter().map(|scene| PossibleValue::new(scene.name))))
    }
}

/// The keys of a scene that `--method` can set. No two of them share a word.
const METHODS: [&str; 4] = [PRESSURE, "coupling.method", "coupling.solver", STEPPER];

/// How pressure is solved for.
pub(crate) const PRESSURE: &str = "pressure.solver";

/// In which phases the variational fluid and what is in it are moved.
pub(crate) const STEPPER: &str = "fluid_contact.stepper";

/// The pressure solver that has steppers.
const STEPPED: &str = "variational";

/// A choice that a scene offers for one of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// The key that it sets.
    pub key: &'static str,
    /// What can be written there.
    pub word: Word,
}

impl ValueEnum for Method {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Method>> = LazyLock::new(|| {
            let of_key =
                |key| schema::choices(key).into_iter().map(move |word| Method { key, word });
            METHODS.into_iter().flat_map(of_key).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(possible(self.word))
    }
}

impl Method {
    /// The overrides of a scene that choose it: a stepper brings the fluid that has steppers.
    pub(crate) fn overrides(self) -> Vec<String> {
        let fluid = (self.key == STEPPER).then(|| format!("{PRESSURE}=\"{STEPPED}\""));
        fluid.into_iter().chain([format!("{}=\"{}\"", self.key, self.word.name)]).collect()
    }
}

fn possible(word: Word) -> PossibleValue {
    PossibleValue::new(word.name).help(word.meaning.trim_end_matches('.'))
}

/// A sentence about two methods that exclude each other, if there are such.
pub(crate) fn contradiction(methods: &[Method]) -> Option<String> {
    let of_key = |key: &str| methods.iter().find(|method| method.key == key);
    if let (Some(solver), Some(stepper)) = (of_key(PRESSURE), of_key(STEPPER))
        && solver.word.name != STEPPED
    {
        let [solver, stepper] = [solver, stepper].map(|method| method.word.name);
        return Some(format!("{stepper} is of {STEPPED} fluids, {solver} is another"));
    }
    methods.iter().enumerate().find_map(|(k, Method { key, word })| {
        let other = methods[..k].iter().find(|earlier| earlier.key == *key)?;
        let (other, word) = (other.word.name, word.name);
        Some(format!("--method {other} and {word} exclude each other: both are {key}"))
    })
}

/// A format of frames that a scene offers, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameFormat(Option<Word>);

impl FrameFormat {
    /// Its word as a scene has it.
    pub(super) fn quoted(self) -> Option<String> {
        self.0.map(|word| format!("{:?}", word.name))
    }
}

impl ValueEnum for FrameFormat {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<FrameFormat>> = LazyLock::new(|| {
            let formats = schema::choices("output.formats").into_iter().map(Some);
            formats.chain([None]).map(FrameFormat).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let none = Word { name: "none", meaning: "No frames, only tables" };
        Some(possible(self.0.unwrap_or(none)))
    }
}

/// Methods that go together, and what the user called them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub name: String,
    pub methods: Vec<Method>,
}

/// Reads names joined by `+`.
pub(super) fn parse_variant(text: &str) -> Result<Variant, String> {
    let parse = |name: &str| Method::from_str(name, false);
    let methods = text.split('+').map(parse).collect::<Result<Vec<_>, _>>()?;
    match contradiction(&methods) {
        Some(sentence) => Err(sentence),
        None => Ok(Variant { name: text.to_owned(), methods }),
    }
}

/// Reads `1280x720`.
pub(super) fn parse_size(text: &str) -> Result<[usize; 2], String> {
    let size = text.split_once(['x', '×']).and_then(|(width, height)| {
        Some([width.trim().parse::<usize>().ok()?, height.trim().parse::<usize>().ok()?])
    });
    match size {
        Some(size) if size.iter().all(|n| (16..=16384).contains(n)) => Ok(size),
        _ => Err("write WIDTHxHEIGHT with 16 to 16384 pixels each way, like 1280x720".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_methods_have_the_same_name() {
        let names = || Method::value_variants().iter().map(|method| method.word.name);
        let distinct: std::collections::HashSet<_> = names().collect();
        assert_eq!(distinct.len(), names().count());
        assert!(distinct.len() > METHODS.len());
    }

    #[test]
    fn methods_of_one_kind_exclude_each_other() {
        let methods = |names: [&str; 3]| names.map(|name| Method::from_str(name, false).unwrap());
        assert_eq!(contradiction(&methods(["weak", "iisph", "nncg"])), None);
        let text = contradiction(&methods(["weak", "iisph", "monolithic"])).unwrap();
        assert!(text.contains("weak and monolithic") && text.contains("coupling.method"), "{text}");
        let text = contradiction(&methods(["weak", "joint", "dfsph"])).unwrap();
        assert!(text.contains("joint is of variational fluids"), "{text}");
        assert_eq!(contradiction(&methods(["weak", "joint", "variational"])), None);
    }
}
