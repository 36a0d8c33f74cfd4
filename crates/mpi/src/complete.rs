//! Calls that wait for requests, or ask whether they are done. Those that ask in vain are told in one event as long as
//! nothing else happens in between.

use std::ffi::c_int;

use crosscut_events::EventKind::{MpiCall, MpiCallOn};

use crate::calls::{Call, Returned, SUCCESS, Status};
use crate::kinds::{Handle, kind};
use crate::room::Room;

/// The requests of a call before it changes them, and statuses in place of those that the program does not want.
struct Requests {
    handles: Room,
    statuses: Room,
}

impl Requests {
    const fn new() -> Requests {
        Requests { handles: Room::new(), statuses: Room::new() }
    }

    /// Keeps a list of requests whose statuses come as a list, too, or as one. Says whether there was room.
    fn keep(&mut self, call: &mut Call<'_>, statuses: u8, many: bool) -> bool {
        let count = call.arguments.int(0).max(0) as usize;
        let Some(handles) = self.handles.take(count) else { return false };
        for (index, handle) in handles.iter_mut().enumerate() {
            *handle = call.arguments.stored_handle_of(1, index, Handle::Request);
        }
        if !call.arguments.is_ignored(statuses, many) {
            return true;
        }
        let bytes = if many { count } else { 1 }.saturating_mul(kind().status);
        let Some(own) = self.statuses.take(bytes.div_ceil(8)) else { return false };
        call.arguments.words[usize::from(statuses)] = own.as_mut_ptr().expose_provenance();
        true
    }

    /// Tells that the request at an index is done, by the status at another.
    fn done(&mut self, call: &mut Call<'_>, index: usize, statuses: u8, status: usize) {
        if let Some(&handle) = self.handles.words().get(index).filter(|handle| kind().is_request(**handle)) {
            call.done(handle, statuses, status);
        }
    }
}

/// An index that the call stored, which counts from 1 in Fortran.
fn index(call: &Call<'_>, stored: c_int) -> usize {
    // What stands for none is negative, and then no index at all.
    (stored - c_int::from(call.arguments.is_fortran())) as usize
}

pub fn wait(call: &mut Call<'_>) -> c_int {
    call.begin();
    let request = call.arguments.stored_handle(0, Handle::Request);
    let mut own = Status::default();
    call.keep_status(1, &mut own);
    let code = call.run();
    if code == SUCCESS && kind().is_request(request) {
        call.done(request, 1, 0);
    }
    code
}

pub fn wait_all(call: &mut Call<'_>) -> c_int {
    call.begin();
    let mut requests = Requests::new();
    if !requests.keep(call, 2, true) {
        return call.run();
    }
    let code = call.run();
    if code == SUCCESS {
        all_done(call, &mut requests, 2);
    }
    code
}

fn all_done(call: &mut Call<'_>, requests: &mut Requests, statuses: u8) {
    for index in 0..requests.handles.words().len() {
        requests.done(call, index, statuses, index);
    }
}

pub fn wait_any(call: &mut Call<'_>) -> c_int {
    call.begin();
    let mut requests = Requests::new();
    if !requests.keep(call, 3, false) {
        return call.run();
    }
    let code = call.run();
    if code == SUCCESS {
        let index = index(call, call.arguments.stored(2));
        requests.done(call, index, 3, 0);
    }
    code
}

pub fn wait_some(call: &mut Call<'_>) -> c_int {
    call.begin();
    let mut requests = Requests::new();
    if !requests.keep(call, 4, true) {
        return call.run();
    }
    let code = call.run();
    if code == SUCCESS {
        some_done(call, &mut requests);
    }
    code
}

fn some_done(call: &mut Call<'_>, requests: &mut Requests) {
    for nth in 0..call.arguments.stored(2).max(0) as usize {
        let index = index(call, call.arguments.stored_of(3, nth));
        requests.done(call, index, 4, nth);
    }
}

/// A call that asked: what it found is told when there is something.
fn asked(call: &mut Call<'_>, start: u64, code: c_int, found: bool) -> Returned {
    match code == SUCCESS && found {
        true => call.recorder.put_at(start, MpiCall, [call.word]),
        false => call.recorder.polled(call.word, start),
    }
    Returned { code, is_recorded: code == SUCCESS && found }
}

/// A call for which there was no memory: nothing is told of its requests.
fn unknown(call: &mut Call<'_>) -> Returned {
    call.begin();
    Returned { code: call.run(), is_recorded: true }
}

pub fn test(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let request = call.arguments.stored_handle(0, Handle::Request);
    let mut own = Status::default();
    call.keep_status(2, &mut own);
    let code = call.run();
    let found = call.arguments.stored(1) != 0;
    let returned = asked(call, start, code, found);
    if returned.is_recorded && kind().is_request(request) {
        call.done(request, 2, 0);
    }
    returned
}

pub fn test_all(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let mut requests = Requests::new();
    if !requests.keep(call, 3, true) {
        return unknown(call);
    }
    let code = call.run();
    let found = call.arguments.stored(2) != 0;
    let returned = asked(call, start, code, found);
    if returned.is_recorded {
        all_done(call, &mut requests, 3);
    }
    returned
}

pub fn test_any(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let mut requests = Requests::new();
    if !requests.keep(call, 4, false) {
        return unknown(call);
    }
    let code = call.run();
    let found = call.arguments.stored(3) != 0;
    let returned = asked(call, start, code, found);
    if returned.is_recorded {
        let index = index(call, call.arguments.stored(2));
        requests.done(call, index, 4, 0);
    }
    returned
}

pub fn test_some(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let mut requests = Requests::new();
    if !requests.keep(call, 4, true) {
        return unknown(call);
    }
    let code = call.run();
    let found = call.arguments.stored(2) > 0;
    let returned = asked(call, start, code, found);
    if returned.is_recorded {
        some_done(call, &mut requests);
    }
    returned
}

pub fn try_probe(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let code = call.run();
    found_message(call, start, code)
}

/// A probe came back: with a message, or in vain.
fn found_message(call: &mut Call<'_>, start: u64, code: c_int) -> Returned {
    let found = code == SUCCESS && call.arguments.stored(3) != 0;
    if found {
        let (peer, comm) = call.message();
        call.recorder.put_at(start, MpiCallOn, [call.word, comm, peer, 0]);
    } else {
        call.recorder.polled(call.word, start);
    }
    Returned { code, is_recorded: found }
}

pub fn try_take_probe(call: &mut Call<'_>) -> Returned {
    let start = call.recorder.now();
    let mut own = Status::default();
    call.keep_status(5, &mut own);
    let code = call.run();
    let returned = found_message(call, start, code);
    if returned.is_recorded {
        let message = call.arguments.stored_handle(4, Handle::Message);
        call.done(message, 5, 0);
    }
    returned
}
