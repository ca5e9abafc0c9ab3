//! Arithmetic expressions of the time t (and other variables) in scene files.
//!
//! `0.1 * sin(2*pi*t)` is compiled once into a short program for a stack machine and then evaluated
//! as often as needed without allocating. Everything is `f64`; the same text gives the same bits.
//!
//! | written | meaning |
//! |---|---|
//! | `a + b`, `a - b`, `a * b`, `a / b` | as usual |
//! | `a ^ b` | a to the power of b; binds tighter than a minus before it, and to the right |
//! | `pi`, `e` | constants |
//! | `sin cos tan asin acos atan sinh cosh tanh` | of radians |
//! | `atan2(y, x)` | the angle of the point (x, y) |
//! | `exp ln log10 sqrt abs floor ceil` | as usual |
//! | `min(a, b)`, `max(a, b)`, `pow(a, b)`, `mod(a, b)` | `mod` has the sign of b |
//! | `step(x)` | 0 for x < 0, else 1 |
//! | `smoothstep(a, b, x)` | 0 below a, 1 above b, a smooth cubic between |

mod parse;

use std::fmt;
use std::ops::Range;

/// Longest text of an expression, in bytes.
pub const MAX_LENGTH: usize = 10_000;
/// Deepest nesting, and the largest stack an evaluation may need.
pub const MAX_DEPTH: usize = 64;

/// A compiled expression of the variables it was compiled for.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    program: Vec<Instruction>,
}

/// One instruction of the stack machine.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instruction {
    /// Pushes a number.
    Number(f64),
    /// Pushes a variable.
    Variable(usize),
    /// Replaces the top two by their combination.
    Binary(Operator),
    /// Changes the sign of the top.
    Negate,
    /// Replaces the top one, two or three by the value of a function.
    Call(Function),
}

/// The operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// A function by name; `arity` arguments are taken from the stack.
#[derive(Clone, Copy)]
struct Function {
    name: &'static str,
    arity: usize,
    apply: fn(&[f64]) -> f64,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

const FUNCTIONS: [Function; 24] = {
    const fn function(name: &'static str, arity: usize, apply: fn(&[f64]) -> f64) -> Function {
        Function { name, arity, apply }
    }
    [
        function("sin", 1, |x| x[0].sin()),
        function("cos", 1, |x| x[0].cos()),
        function("tan", 1, |x| x[0].tan()),
        function("asin", 1, |x| x[0].asin()),
        function("acos", 1, |x| x[0].acos()),
        function("atan", 1, |x| x[0].atan()),
        function("atan2", 2, |x| x[0].atan2(x[1])),
        function("sinh", 1, |x| x[0].sinh()),
        function("cosh", 1, |x| x[0].cosh()),
        function("tanh", 1, |x| x[0].tanh()),
        function("exp", 1, |x| x[0].exp()),
        function("ln", 1, |x| x[0].ln()),
        function("log10", 1, |x| x[0].log10()),
        function("sqrt", 1, |x| x[0].sqrt()),
        function("abs", 1, |x| x[0].abs()),
        function("floor", 1, |x| x[0].floor()),
        function("ceil", 1, |x| x[0].ceil()),
        function("min", 2, |x| x[0].min(x[1])),
        function("max", 2, |x| x[0].max(x[1])),
        function("pow", 2, |x| x[0].powf(x[1])),
        function("mod", 2, |x| x[0] - x[1] * (x[0] / x[1]).floor()),
        function("step", 1, |x| if x[0] < 0.0 { 0.0 } else { 1.0 }),
        function("smoothstep", 3, |x| smoothstep(x[0], x[1], x[2])),
        function("sign", 1, |x| if x[0] == 0.0 { 0.0 } else { x[0].signum() }),
    ]
};

fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    // A step of no width is a plain step: 0/0 would otherwise give NaN at the edge.
    let s =
        if from == to { f64::from(x >= to) } else { ((x - from) / (to - from)).clamp(0.0, 1.0) };
    s * s * (3.0 - 2.0 * s)
}

/// What is wrong with the text of an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Which bytes of the text.
    pub span: Range<usize>,
    /// What was found, and what was expected.
    pub message: String,
    /// The nearest valid name, or what else may help.
    pub help: Option<String>,
}

impl Expression {
    /// Compiles `text`; `variables` are the names it may use, in the order of their values.
    pub fn compile(text: &str, variables: &[&str]) -> Result<Expression, ExpressionError> {
        let program = parse::parse(text, variables)?;
        Ok(Expression { text: text.to_string(), program })
    }

    /// The value for these values of the variables, which may be NaN or infinite.
    pub fn evaluate(&self, variables: &[f64]) -> f64 {
        let mut stack = [0.0; MAX_DEPTH];
        let mut top = 0;
        for instruction in &self.program {
            match *instruction {
                Instruction::Number(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Instruction::Variable(index) => {
                    stack[top] = variables[index];
                    top += 1;
                }
                Instruction::Negate => stack[top - 1] = -stack[top - 1],
                Instruction::Binary(operator) => {
                    top -= 1;
                    let (a, b) = (stack[top - 1], stack[top]);
                    stack[top - 1] = operator.apply(a, b);
                }
                Instruction::Call(function) => {
                    top -= function.arity - 1;
                    let arguments = &stack[top - 1..top - 1 + function.arity];
                    stack[top - 1] = (function.apply)(arguments);
                }
            }
        }
        stack[0]
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether its value depends on no variable.
    pub fn is_constant(&self) -> bool {
        !self.program.iter().any(|i| matches!(i, Instruction::Variable(_)))
    }
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            Operator::Power => a.powf(b),
        }
    }
}

#[cfg(test)]
mod tests;
