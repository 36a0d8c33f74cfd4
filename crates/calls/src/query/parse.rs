//! From the text of a query to its parts. `not` binds strongest, then `and`, `xor`, `or`.

use std::cmp::Ordering;

use foldhash::{HashMap, HashMapExt};
use regex::Regex;

use super::lex::{Token, tokens};
use super::{Field, How, Join, MOST_STEPS, Op, Path, QueryError, Step, Test, TextTest};

/// Words and signs of a query at most: what is joined is nested as deep as there are joining words.
const MOST_TOKENS: usize = 1000;
/// How deep brackets are nested at most.
const DEEP: usize = 40;

struct Reader {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
    deep: usize,
}

pub(super) fn query(text: &str) -> Result<Join, QueryError> {
    let (tokens, end) = tokens(text)?;
    if let Some((column, _)) = tokens.get(MOST_TOKENS) {
        return Err(QueryError { column: *column, why: format!("more than {MOST_TOKENS} words and signs") });
    }
    let mut reader = Reader { tokens, at: 0, end, deep: 0 };
    let join = reader.joined(0)?;
    match reader.peek() {
        None => Ok(join),
        Some(_) => Err(reader.wrong("nothing more was expected here")),
    }
}

/// The joining words, weakest first.
const LEVELS: [(Op, &str, &str); 3] = [(Op::Or, "or", "∨"), (Op::Xor, "xor", "⊕"), (Op::And, "and", "∧")];

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn column(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(column, _)| *column)
    }

    fn wrong(&self, why: impl Into<String>) -> QueryError {
        QueryError { column: self.column(), why: why.into() }
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).map(|(_, token)| token.clone());
        self.at += usize::from(token.is_some());
        token
    }

    fn sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Sign(other)) if *other == sign);
        self.at += usize::from(is);
        is
    }

    fn word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(other)) if other.eq_ignore_ascii_case(word));
        self.at += usize::from(is);
        is
    }

    fn needs(&mut self, sign: &str) -> Result<(), QueryError> {
        if self.sign(sign) { Ok(()) } else { Err(self.wrong(format!("`{sign}` is missing"))) }
    }

    fn deeper(&mut self) -> Result<(), QueryError> {
        self.deep += 1;
        if self.deep > DEEP {
            Err(self.wrong(format!("more than {DEEP} brackets in one another")))
        } else {
            Ok(())
        }
    }

    fn joined(&mut self, level: usize) -> Result<Join, QueryError> {
        let Some(&(op, word, sign)) = LEVELS.get(level) else { return self.part() };
        let mut left = self.joined(level + 1)?;
        while self.word(word) || self.sign(sign) {
            let right = self.joined(level + 1)?;
            left = Join::Both(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// `not` of a part, a query in braces, or a path.
    fn part(&mut self) -> Result<Join, QueryError> {
        self.deeper()?;
        let part = if self.word("not") || self.sign("¬") {
            Join::Not(Box::new(self.part()?))
        } else if self.sign("{") {
            let inside = self.joined(0)?;
            self.needs("}")?;
            inside
        } else {
            Join::Path(self.path()?)
        };
        self.deep -= 1;
        Ok(part)
    }

    fn path(&mut self) -> Result<Path, QueryError> {
        self.word("match");
        let mut names: HashMap<String, usize> = HashMap::new();
        // Each as it is written: how often, and its test.
        let mut written: Vec<(Times, Option<Test>)> = Vec::new();
        let mut count = 0usize;
        loop {
            let column = self.column();
            let (times, name) = self.step()?;
            count += times.count();
            if count > MOST_STEPS {
                return Err(QueryError { column, why: format!("more than {MOST_STEPS} steps") });
            }
            if let Some(name) = name {
                let known = names.insert(name.clone(), written.len());
                if known.is_some() {
                    return Err(QueryError {
                        column,
                        why: format!("`{name}` stands for another step already"),
                    });
                }
            }
            written.push((times, None));
            if !self.sign("->") {
                break;
            }
        }
        if self.word("where") {
            self.tests(&names, &mut written)?;
        }
        let mut path = Path::default();
        for (times, test) in written {
            for _ in 0..times.count() {
                let (again, optional) = (times != Times::Exactly(times.count()), times == Times::Any);
                path.steps.push(Step { again, optional, test: test.clone() });
            }
        }
        Ok(path)
    }

    /// `(q)`, `("*", p)`, `(3)`, `(".")`.
    fn step(&mut self) -> Result<(Times, Option<String>), QueryError> {
        self.needs("(")?;
        let column = self.column();
        let times = match self.peek().cloned() {
            Some(Token::Text(text)) => Some(Times::from_text(&text)),
            Some(Token::Sign(sign @ ("*" | "+" | "."))) => Some(Times::from_text(sign)),
            Some(Token::Number(number)) => Some(Times::from_text(&number.to_string())),
            _ => None,
        };
        let mut name = None;
        if let Some(times) = &times {
            self.at += 1;
            if times.is_none() {
                let why = "how often is \"*\", \"+\", \".\" or a number from 1 on".to_owned();
                return Err(QueryError { column, why });
            }
        }
        if times.is_none() || self.sign(",") {
            match self.peek().cloned() {
                Some(Token::Word(word)) => {
                    self.at += 1;
                    name = Some(word);
                }
                _ if times.is_some() => return Err(self.wrong("a name is missing")),
                _ => {}
            }
        }
        self.needs(")")?;
        Ok((times.flatten().unwrap_or(Times::Exactly(1)), name))
    }

    /// Tests joined by `and` may speak of different steps; what is joined otherwise is of one.
    fn tests(
        &mut self,
        names: &HashMap<String, usize>,
        written: &mut [(Times, Option<Test>)],
    ) -> Result<(), QueryError> {
        let column = self.column();
        let (test, of) = self.test(0, names)?;
        for (test, of) in split(test, of) {
            let Some(slot) = of.and_then(|of| written.get_mut(of)) else {
                let why = "one `or`, `xor` or `not` speaks of several steps: write {…} or {…}".to_owned();
                return Err(QueryError { column, why });
            };
            slot.1 = Some(match slot.1.take() {
                Some(before) => Test::Both(Op::And, Box::new(before), Box::new(test)),
                None => test,
            });
        }
        Ok(())
    }

    fn test(&mut self, level: usize, names: &HashMap<String, usize>) -> Result<(Tree, Of), QueryError> {
        let Some(&(op, word, sign)) = LEVELS.get(level) else { return self.one_test(names) };
        let (mut left, mut of) = self.test(level + 1, names)?;
        loop {
            let before = self.at;
            if !(self.word(word) || self.sign(sign)) {
                return Ok((left, of));
            }
            // `{` after it joins queries, not tests.
            if matches!(self.peek(), Some(Token::Sign("{"))) || self.begins_path() {
                self.at = before;
                return Ok((left, of));
            }
            let (right, of_right) = self.test(level + 1, names)?;
            let same = if of == of_right { of } else { None };
            left = Tree::Both(op, Box::new((left, of)), Box::new((right, of_right)));
            of = same;
        }
    }

    /// `(q) ->`, `("*"`, `match`: another query begins, not a test in brackets.
    fn begins_path(&self) -> bool {
        let token = |at: usize| self.tokens.get(self.at + at).map(|(_, token)| token);
        match token(0) {
            Some(Token::Word(word)) => word.eq_ignore_ascii_case("match"),
            Some(Token::Sign("(")) => {
                !matches!(token(1), Some(Token::Word(_) | Token::Sign("(" | "¬")))
                    || matches!((token(1), token(2)), (Some(Token::Word(_)), Some(Token::Sign(")"))))
            }
            _ => false,
        }
    }

    fn one_test(&mut self, names: &HashMap<String, usize>) -> Result<(Tree, Of), QueryError> {
        self.deeper()?;
        let test = if self.word("not") || self.sign("¬") {
            let (test, of) = self.one_test(names)?;
            (Tree::Not(Box::new((test, of))), of)
        } else if self.sign("(") {
            let inside = self.test(0, names)?;
            self.needs(")")?;
            inside
        } else {
            let (test, of) = self.comparison(names)?;
            (Tree::One(test), Some(of))
        };
        self.deep -= 1;
        Ok(test)
    }

    /// `q.name = "main"`, `q.time.itself > 5`.
    fn comparison(&mut self, names: &HashMap<String, usize>) -> Result<(Test, usize), QueryError> {
        let Some(Token::Word(name)) = self.peek().cloned() else {
            return Err(self.wrong("the name of a step is missing"));
        };
        let of = *names.get(&name).ok_or_else(|| self.wrong(format!("no step is named `{name}`")))?;
        self.at += 1;
        self.needs(".")?;
        let column = self.column();
        let field = match self.next() {
            Some(Token::Word(word) | Token::Text(word)) => self.field(word),
            _ => return Err(QueryError { column, why: "what of it is missing".to_owned() }),
        };
        let how = self.how(&field)?;
        Ok((Test::Is { field, column, how }, of))
    }

    fn field(&mut self, word: String) -> Field {
        match word.as_str() {
            "name" => Field::Name,
            "module" | "library" => Field::Module,
            "file" => Field::File,
            "kind" | "type" => Field::Kind,
            "line" => Field::Line,
            "depth" => Field::Depth,
            _ => {
                let before = self.at;
                let own = self.sign(".") && self.word("itself");
                if !own {
                    self.at = before;
                }
                Field::Metric(word, own)
            }
        }
    }

    fn how(&mut self, field: &Field) -> Result<How, QueryError> {
        let text = matches!(field, Field::Name | Field::Module | Field::File | Field::Kind);
        let column = self.column();
        let sign = match self.next() {
            Some(Token::Sign(sign @ ("=" | "!=" | "<" | ">" | "<=" | ">=" | "~"))) => sign,
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("has") => "has",
            _ => return Err(QueryError { column, why: "one of = != < > <= >= ~ has is missing".to_owned() }),
        };
        let at = self.column();
        let value =
            self.next().ok_or(QueryError { column: at, why: "a text or a number is missing".to_owned() })?;
        let wrong = |why: &str| QueryError { column: at, why: why.to_owned() };
        match (value, text) {
            (Token::Text(value), true) => match sign {
                "=" => Ok(How::Text(TextTest::Is, value)),
                "!=" => Ok(How::Text(TextTest::IsNot, value)),
                "has" => Ok(How::Text(TextTest::Has, value)),
                "~" => Regex::new(&value).map(How::Matches).map_err(|error| wrong(&error.to_string())),
                _ => Err(QueryError { column, why: "texts have no order: = != ~ has".to_owned() }),
            },
            (Token::Number(value), false) => match sign {
                "=" => Ok(How::NumberIs(true, value)),
                "!=" => Ok(How::NumberIs(false, value)),
                "<" => Ok(How::Number(Ordering::Less, false, value)),
                "<=" => Ok(How::Number(Ordering::Less, true, value)),
                ">" => Ok(How::Number(Ordering::Greater, false, value)),
                ">=" => Ok(How::Number(Ordering::Greater, true, value)),
                _ => Err(QueryError { column, why: "numbers are compared by = != < > <= >=".to_owned() }),
            },
            (_, true) => Err(wrong("a text in quotes is missing")),
            (_, false) => Err(wrong("a number is missing")),
        }
    }
}

/// The step that tests speak of; nothing where they are several.
type Of = Option<usize>;

/// Tests with the steps that they speak of.
enum Tree {
    One(Test),
    Not(Box<(Tree, Of)>),
    Both(Op, Box<(Tree, Of)>, Box<(Tree, Of)>),
}

/// What is joined by `and` at the top, one by one.
fn split(tree: Tree, of: Of) -> Vec<(Test, Of)> {
    match tree {
        Tree::Both(Op::And, a, b) => {
            let mut parts = split(a.0, a.1);
            parts.extend(split(b.0, b.1));
            parts
        }
        tree => vec![(plain(tree), of)],
    }
}

fn plain(tree: Tree) -> Test {
    match tree {
        Tree::One(test) => test,
        Tree::Not(of) => Test::Not(Box::new(plain(of.0))),
        Tree::Both(op, a, b) => Test::Both(op, Box::new(plain(a.0)), Box::new(plain(b.0))),
    }
}

/// How often a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Exactly(usize),
    Any,
    Some,
}

impl Times {
    fn from_text(text: &str) -> Option<Self> {
        match text {
            "*" => Some(Times::Any),
            "+" => Some(Times::Some),
            "." => Some(Times::Exactly(1)),
            _ => text.parse().ok().filter(|&times| times > 0).map(Times::Exactly),
        }
    }

    fn count(self) -> usize {
        match self {
            Times::Exactly(times) => times,
            Times::Any | Times::Some => 1,
        }
    }
}
