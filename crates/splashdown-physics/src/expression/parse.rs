//! From the text of an expression to a program, by recursive descent.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = { "-" | "+" } power
//! power   = primary [ "^" signed ]              so 2^3^2 = 2^9, -2^2 = -4, 2^-1 = 0.5
//! primary = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
//! ```

use std::ops::Range;

use super::{
    CONSTANTS, ExpressionError, FUNCTIONS, Function, Instruction, MAX_DEPTH, MAX_LENGTH, Operator,
};
use crate::nearest::nearest;

type Result<T> = std::result::Result<T, ExpressionError>;

pub(super) fn parse(text: &str, variables: &[&str]) -> Result<Vec<Instruction>> {
    if text.len() > MAX_LENGTH {
        let message = format!("an expression may have at most {MAX_LENGTH} bytes");
        return Err(ExpressionError { span: 0..text.len(), message, help: None });
    }
    let mut parser =
        Parser { text, variables, position: 0, nesting: 0, stack: 0, program: Vec::new() };
    parser.sum()?;
    parser.skip_blanks();
    if parser.position < text.len() {
        return Err(parser.unexpected("an operator or the end"));
    }
    Ok(parser.program)
}

struct Parser<'a> {
    text: &'a str,
    variables: &'a [&'a str],
    position: usize,
    /// Depth of the recursion.
    nesting: usize,
    /// Height of the stack when the program has run so far.
    stack: usize,
    program: Vec<Instruction>,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<()> {
        self.nest()?;
        self.product()?;
        while let Some(operator) =
            self.take_operator(&[('+', Operator::Add), ('-', Operator::Subtract)])
        {
            self.product()?;
            self.emit(Instruction::Binary(operator))?;
        }
        self.nesting -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<()> {
        self.signed()?;
        while let Some(operator) =
            self.take_operator(&[('*', Operator::Multiply), ('/', Operator::Divide)])
        {
            self.signed()?;
            self.emit(Instruction::Binary(operator))?;
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<()> {
        let mut negative = false;
        loop {
            if self.take('-') {
                negative = !negative;
            } else if !self.take('+') {
                break;
            }
        }
        self.power()?;
        if negative {
            self.emit(Instruction::Negate)?;
        }
        Ok(())
    }

    fn power(&mut self) -> Result<()> {
        self.primary()?;
        if self.take('^') {
            self.nest()?;
            self.signed()?;
            self.nesting -= 1;
            self.emit(Instruction::Binary(Operator::Power))?;
        }
        Ok(())
    }

    fn primary(&mut self) -> Result<()> {
        self.skip_blanks();
        match self.peek() {
            Some('(') => {
                self.position += 1;
                self.sum()?;
                self.expect(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn number(&mut self) -> Result<()> {
        let start = self.position;
        let bytes = self.text.as_bytes();
        let digits = |mut i: usize| {
            while bytes.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
            i
        };
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        // An exponent needs a digit: in `2*e` the e is Euler's number.
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = digits(end + 1 + sign);
            }
        }
        self.position = end;
        match self.text[start..end].parse::<f64>() {
            Ok(value) if value.is_finite() => self.emit(Instruction::Number(value)),
            _ => {
                let message = format!("`{}` is not a finite number", &self.text[start..end]);
                Err(ExpressionError { span: start..end, message, help: None })
            }
        }
    }

    fn name(&mut self) -> Result<()> {
        let start = self.position;
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..length.unwrap_or(rest.len())];
        self.position += name.len();
        if let Some(index) = self.variables.iter().position(|v| *v == name) {
            return self.emit(Instruction::Variable(index));
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(n, _)| *n == name) {
            return self.emit(Instruction::Number(*value));
        }
        match FUNCTIONS.iter().find(|f| f.name == name) {
            Some(function) => self.call(*function, start..self.position),
            None => Err(self.unknown(name, start..self.position)),
        }
    }

    fn call(&mut self, function: Function, span: Range<usize>) -> Result<()> {
        self.expect('(')?;
        let mut arguments = 0;
        loop {
            self.sum()?;
            arguments += 1;
            if !self.take(',') {
                break;
            }
        }
        self.expect(')')?;
        if arguments == function.arity {
            return self.emit(Instruction::Call(function));
        }
        let Function { name, arity, .. } = function;
        let plural = if arity == 1 { "" } else { "s" };
        let message = format!("`{name}` takes {arity} argument{plural}, not {arguments}");
        Err(ExpressionError { span: span.start..self.position, message, help: None })
    }

    fn unknown(&self, name: &str, span: Range<usize>) -> ExpressionError {
        let known = self
            .variables
            .iter()
            .copied()
            .chain(CONSTANTS.iter().map(|(n, _)| *n))
            .chain(FUNCTIONS.iter().map(|f| f.name));
        let help = match nearest(name, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("variables here: {}", self.variables.join(", ")),
        };
        let message = format!("`{name}` is not a variable, constant or function");
        ExpressionError { span, message, help: Some(help) }
    }

    /// Appends an instruction and follows the height of the stack, which `evaluate` keeps in a
    /// fixed array.
    fn emit(&mut self, instruction: Instruction) -> Result<()> {
        match instruction {
            Instruction::Number(_) | Instruction::Variable(_) => self.stack += 1,
            Instruction::Binary(_) => self.stack -= 1,
            Instruction::Negate => {}
            Instruction::Call(function) => self.stack -= function.arity - 1,
        }
        if self.stack > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.program.push(instruction);
        Ok(())
    }

    fn nest(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> ExpressionError {
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        let start = self.position.min(self.text.len());
        ExpressionError { span: start..start, message, help: None }
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(&format!("`{wanted}`"))) }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(wanted);
        if found {
            self.position += wanted.len_utf8();
        }
        found
    }

    fn take_operator(&mut self, operators: &[(char, Operator)]) -> Option<Operator> {
        operators.iter().find(|(c, _)| self.take(*c)).map(|(_, operator)| *operator)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.position += self.peek().map_or(0, char::len_utf8);
        }
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        let (found, length) = match self.peek() {
            Some(c) => (format!("`{c}`"), c.len_utf8()),
            None => ("the end".to_string(), 0),
        };
        let message = format!("expected {expected}, found {found}");
        ExpressionError { span: self.position..self.position + length, message, help: None }
    }
}
