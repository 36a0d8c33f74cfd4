//! Trees in JSON: objects, each with those inside it under a key. Read without a limit of depth: what is open is a list.

use super::json::{Json, Kind};
use crate::error::ImportError;

/// An object of the tree. Parents come before what is inside them.
pub struct Nested<T> {
    pub parent: Option<usize>,
    /// Where it begins.
    pub offset: u64,
    pub value: T,
}

enum Open {
    Object(usize),
    /// The list of what is inside an object, or of the roots.
    List(Option<usize>),
}

/// Reads the value that comes next: an object, or a list of them. `inside` is the key of what is inside an object; `field`
/// reads the value of any other.
pub fn nested<'a, 'b, T: Default>(
    json: &mut Json<'a, 'b>,
    inside: &str,
    mut field: impl FnMut(&mut Json<'a, 'b>, &str, &mut T) -> Result<(), ImportError>,
) -> Result<Vec<Nested<T>>, ImportError> {
    let (mut all, mut open, mut key) = (Vec::new(), Vec::new(), String::new());
    enter(json, None, &mut all, &mut open)?;
    while let Some(last) = open.last() {
        match *last {
            Open::List(parent) => match json.item()? {
                true => enter(json, parent, &mut all, &mut open)?,
                false => drop(open.pop()),
            },
            Open::Object(at) => match json.key(&mut key)? {
                true if key == inside => enter(json, Some(at), &mut all, &mut open)?,
                true => match all.get_mut(at) {
                    Some(node) => field(json, &key, &mut node.value)?,
                    None => json.skip()?,
                },
                false => drop(open.pop()),
            },
        }
    }
    Ok(all)
}

fn enter<T: Default>(
    json: &mut Json<'_, '_>,
    parent: Option<usize>,
    all: &mut Vec<Nested<T>>,
    open: &mut Vec<Open>,
) -> Result<(), ImportError> {
    match json.kind()? {
        Kind::Object => {
            let offset = json.offset();
            json.object()?;
            open.push(Open::Object(all.len()));
            all.push(Nested { parent, offset, value: T::default() });
        }
        Kind::Array => {
            json.array()?;
            open.push(Open::List(parent));
        }
        _ => json.skip()?,
    }
    Ok(())
}
