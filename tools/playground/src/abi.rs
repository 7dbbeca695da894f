//! The page's side of a [`Session`]: functions by name, numbers in and out. What is longer goes
//! through buffers of this module, whose addresses the page is given. A buffer holds until the next
//! call that fills it; memory may move when it grows, so the page makes its views anew each frame.
//!
//! Not mangling a name is the one unsafe thing in here: no other function may have the name, which
//! the linker checks.
#![allow(unsafe_code)]

use std::{cell::RefCell, collections::HashMap};

use crate::Session;

#[derive(Default)]
struct State {
    session: Option<Session>,
    input: Vec<u8>,
    /// By name: files for the next scene.
    beside: HashMap<String, Vec<u8>>,
    text: String,
    floats: Vec<f32>,
    numbers: Vec<u32>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<R>(call: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(call)
}

/// Of the session, if there is one.
fn of<R: Default>(call: impl FnOnce(&mut Session) -> R) -> R {
    with(|state| state.session.as_mut().map(call).unwrap_or_default())
}

/// Whether it went well; if not, the text says why.
fn told(state: &mut State, result: Result<(), String>) -> u32 {
    match result {
        Ok(()) => 1,
        Err(error) => {
            state.text = error;
            0
        }
    }
}

/// Room for as many bytes, for the page to fill.
// SAFETY: see the head of this file, here and below.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    with(|state| {
        state.input = vec![0; len];
        state.input.as_mut_ptr()
    })
}

/// The input: a name of that many bytes, and the file of that name.
fn named(state: &mut State, name: usize) -> (String, Vec<u8>) {
    let mut name_first = std::mem::take(&mut state.input);
    let bytes = name_first.split_off(name.min(name_first.len()));
    (String::from_utf8_lossy(&name_first).into_owned(), bytes)
}

/// The input is a file that lies beside the glTF file that `open` gets next.
#[unsafe(no_mangle)]
pub extern "C" fn beside(name: usize) {
    with(|state| {
        let (name, bytes) = named(state, name);
        state.beside.insert(name, bytes);
    });
}

/// The input is a glTF file. On an error the session before stays.
#[unsafe(no_mangle)]
pub extern "C" fn open(title: usize) -> u32 {
    with(|state| {
        let (title, bytes) = named(state, title);
        let files = std::mem::take(&mut state.beside);
        // A page does not know of dropped files in which folder they were.
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let beside = Box::new(move |path: &str| {
            let found = files.get(path).or_else(|| files.get(&file_name(path)));
            found.cloned().ok_or_else(|| format!("{path} was not dropped with it"))
        });
        let opened = Session::open(&bytes, &title, beside);
        let result = opened.map(|session| state.session = Some(session));
        told(state, result)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn orbits(count: usize) {
    with(|state| {
        // Before, so that two do not need memory at once.
        state.session = None;
        state.session = Some(Session::orbits(count));
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f32) {
    of(|session| session.advance(seconds));
}

#[unsafe(no_mangle)]
pub extern "C" fn pose(clip: u32, time: f32) {
    of(|session| session.pose(clip, time));
}

#[unsafe(no_mangle)]
pub extern "C" fn rest() {
    of(Session::rest);
}

#[unsafe(no_mangle)]
pub extern "C" fn run() {
    of(Session::run);
}

#[unsafe(no_mangle)]
pub extern "C" fn set_parent(child: u32, parent: u32) -> u32 {
    with(|state| {
        let result = state.session.as_mut().map(|session| session.set_parent(child, parent));
        told(state, result.unwrap_or(Ok(())))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn write_parent(child: u32, parent: u32) -> u32 {
    with(|state| {
        let result = state.session.as_mut().map(|session| session.write_parent(child, parent));
        told(state, result.unwrap_or(Ok(())))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn count() -> usize {
    of(|session| session.count())
}

#[unsafe(no_mangle)]
pub extern "C" fn moved() -> usize {
    of(|session| session.moved())
}

#[unsafe(no_mangle)]
pub extern "C" fn parent(node: u32) -> u32 {
    of(|session| session.parent(node))
}

/// How many numbers there are at `numbers`.
#[unsafe(no_mangle)]
pub extern "C" fn children(node: u32) -> usize {
    with(|state| {
        state.numbers = state.session.as_ref().map(|s| s.children(node)).unwrap_or_default();
        state.numbers.len()
    })
}

/// How many numbers there are at `numbers`: three a chunk.
#[unsafe(no_mangle)]
pub extern "C" fn chunks() -> usize {
    with(|State { session, numbers, .. }| {
        session.iter().for_each(|session| session.chunks(numbers));
        numbers.len()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn numbers() -> *const u32 {
    with(|state| state.numbers.as_ptr())
}

/// How many numbers there are at `floats`: 16.
#[unsafe(no_mangle)]
pub extern "C" fn world(node: u32) -> usize {
    with(|State { session, floats, .. }| {
        floats.clear();
        session.iter().for_each(|session| floats.extend(session.world(node).iter()));
        floats.len()
    })
}

/// How many numbers there are at `floats`: 12 a node.
#[unsafe(no_mangle)]
pub extern "C" fn worlds() -> usize {
    with(|State { session, floats, .. }| {
        session.iter().for_each(|session| session.worlds(floats));
        floats.len()
    })
}

/// How many numbers there are at `floats`: the weights of all morph targets.
#[unsafe(no_mangle)]
pub extern "C" fn weights() -> usize {
    with(|State { session, floats, .. }| {
        session.iter().for_each(|session| session.weights(floats));
        floats.len()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn floats() -> *const f32 {
    with(|state| state.floats.as_ptr())
}

/// Likewise at `text`, as of the other functions that end with it: its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn name(node: u32) -> usize {
    say(|session| session.name(node))
}

#[unsafe(no_mangle)]
pub extern "C" fn scene() -> usize {
    say(|session| session.scene())
}

#[unsafe(no_mangle)]
pub extern "C" fn findings() -> usize {
    say(|session| session.findings().join("\n"))
}

fn say(what: impl FnOnce(&Session) -> String) -> usize {
    with(|state| {
        state.text = state.session.as_ref().map(what).unwrap_or_default();
        state.text.len()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    with(|state| state.text.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn text_len() -> usize {
    with(|state| state.text.len())
}

/// Legion's uuid asks for random numbers only where a world is saved, which no page does.
#[cfg(target_family = "wasm")]
mod random {
    fn none(_: &mut [u8]) -> Result<(), getrandom::Error> {
        Err(getrandom::Error::UNSUPPORTED)
    }
    getrandom::register_custom_getrandom!(none);
}
