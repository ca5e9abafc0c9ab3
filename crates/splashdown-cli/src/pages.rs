//! Large arrays on large pages: an iteration jumps to neighbours all over arrays of many megabytes,
//! and with pages of 4 KiB the processor forgets where those are faster than it learns. Linux gives
//! pages of 2 MiB to who asks.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for large pages below every large array, and below what
/// surrounds those of middling size: the lists of neighbours of a chunk are a hundred kilobytes
/// each, one after the other.
pub(crate) struct LargePages;

/// Bytes of a large page of x86-64 and of most ARM kernels; elsewhere it only aligns.
const PAGE: usize = 2 << 20;

/// Arrays from here on: the last page is half empty on average, an eighth of this.
const LARGE: usize = 4 * PAGE;

/// Arrays from here on share large pages with their neighbours.
const MIDDLING: usize = 64 << 10;

/// Arrays below this come from memory that is kept, and so much of it stays when it is not needed
/// for a while. A step takes and gives back dozens of arrays of a few hundred kilobytes, and the
/// system hands out memory page by page, emptying every one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: [i32; 2] = [32 << 20, 256 << 20];

/// Keeps memory for the next step. Without, the C library gives it back to the system and asks for
/// it again.
pub(crate) fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // Safety: sets two numbers, before any other thread is there to read them.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT[0]);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT[1]);
    }
}

/// How an array of this layout is really laid out: large ones begin on a page of their own.
fn on_pages(layout: Layout) -> Option<Layout> {
    if layout.size() < LARGE { None } else { layout.align_to(PAGE).ok() }
}

/// Asks for large pages below an array, from page border to page border. A kernel that has none
/// refuses, and the array works as it is.
#[cfg(target_os = "linux")]
fn ask(start: *mut u8, size: usize) {
    if start.is_null() || size < MIDDLING {
        return;
    }
    let before = start as usize % PAGE;
    let whole = (before + size).next_multiple_of(PAGE);
    // Safety: the advice changes no byte of anything, and the kernel passes over what is not ours.
    let _refused =
        unsafe { libc::madvise(start.wrapping_sub(before).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_: *mut u8, _: usize) {}

// Safety: all memory is the system allocator's, taken and given back with the same layout:
// `on_pages` depends on nothing but the layout that Rust hands to both. Growing an array copies it,
// since its layout may change kind.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let layout = on_pages(layout).unwrap_or(layout);
        let start = unsafe { System.alloc(layout) };
        ask(start, layout.size());
        start
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(large) = on_pages(layout) else {
            let start = unsafe { System.alloc_zeroed(layout) };
            ask(start, layout.size());
            return start;
        };
        let start = unsafe { self.alloc(large) };
        if !start.is_null() {
            unsafe { start.write_bytes(0, large.size()) };
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        unsafe { System.dealloc(start, on_pages(layout).unwrap_or(layout)) };
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else {
            return std::ptr::null_mut();
        };
        if on_pages(layout).is_none() && on_pages(wanted).is_none() {
            let start = unsafe { System.realloc(start, layout, size) };
            ask(start, size);
            return start;
        }
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            unsafe {
                std::ptr::copy_nonoverlapping(start, moved, layout.size().min(size));
                self.dealloc(start, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrays grow and shrink across the border between the kinds, and keep what is in them.
    #[test]
    fn an_array_keeps_its_content_across_the_border() {
        let mut array: Vec<u64> = (0..1000).collect();
        array.reserve_exact(LARGE);
        assert_eq!(array.as_ptr() as usize % PAGE, 0);
        array.extend(1000..LARGE as u64);
        assert!(array.iter().enumerate().all(|(place, value)| *value == place as u64));
        array.truncate(500);
        array.shrink_to_fit();
        assert!(array.len() == 500 && array.iter().copied().eq(0..500));
    }

    #[test]
    fn zeroed_arrays_are_zero() {
        let dirty = vec![7_u8; 2 * LARGE];
        drop(dirty);
        let array = vec![0_u8; 2 * LARGE];
        assert_eq!(array.as_ptr() as usize % PAGE, 0);
        assert!(array.iter().all(|byte| *byte == 0));
    }
}
