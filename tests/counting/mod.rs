//! An allocator that counts what each thread takes.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// How often the thread has taken memory.
    pub(crate) static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// All bytes that the thread has ever taken: what it has done, as far as that moves memory.
    pub(crate) static TAKEN_BYTES: Cell<usize> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<usize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count(freed: usize, taken: usize) {
    if taken > 0 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        TAKEN_BYTES.set(TAKEN_BYTES.get() + taken);
    }
    // What another thread has taken may be freed here.
    LIVE_BYTES.set(LIVE_BYTES.get().saturating_sub(freed) + taken);
    PEAK_BYTES.set(PEAK_BYTES.get().max(LIVE_BYTES.get()));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that are held at a time while `run` runs, beside those that were held before.
pub(crate) fn peak_bytes<T>(run: impl FnOnce() -> T) -> usize {
    let before = LIVE_BYTES.get();
    PEAK_BYTES.set(before);
    drop(run());
    PEAK_BYTES.get() - before
}

/// The bytes that are held once `run` is done and its result still there.
pub(crate) fn held_bytes<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = LIVE_BYTES.get();
    let result = run();
    (LIVE_BYTES.get().saturating_sub(before), result)
}
