//! What the targets share: a limit on memory, a place for files, and options taken from bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use xxhash_rust::xxh3::xxh3_64;

/// Bytes that a target may hold at once. Inputs are a few KiB long, so whoever asks for more believed a size that the
/// input only claims. The limit of libFuzzer itself does not see memory that is reserved and never written.
const MOST: usize = 1 << 28;

struct Limited;

static HELD: AtomicUsize = AtomicUsize::new(0);

fn take(size: usize) {
    if HELD.fetch_add(size, Ordering::Relaxed).saturating_add(size) > MOST {
        // No panic: its message would need memory.
        std::process::abort();
    }
}

fn give(size: usize) {
    HELD.fetch_sub(size, Ordering::Relaxed);
}

// SAFETY: everything is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Where files are made: in memory, if the system has such a place. Temporary files of the library go there too.
pub fn files() -> PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        if !memory.is_dir() || std::env::var_os("TMPDIR").is_some() {
            return std::env::temp_dir();
        }
        // Whoever was first has chosen the same.
        let _ = tempfile::env::override_temp_dir(&memory);
        memory
    });
    place.clone()
}

/// Options taken from the first bytes of an input, one choice after the other.
#[derive(Debug)]
pub struct Choices<'a> {
    left: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Choices from these bytes; all are the first where there are none.
    pub fn new(bytes: &'a [u8]) -> Self {
        Choices { left: bytes }
    }

    /// The next byte, as a number less than `count`.
    pub fn of(&mut self, count: usize) -> usize {
        match self.left.split_first() {
            Some((&byte, left)) => {
                self.left = left;
                usize::from(byte) % count
            }
            None => 0,
        }
    }

    /// What is left of the input.
    pub fn rest(self) -> &'a [u8] {
        self.left
    }
}

/// Whether this input is one of about `every` that are also given to what is slow.
pub fn sampled(input: &[u8], every: u64) -> bool {
    xxh3_64(input).is_multiple_of(every)
}

/// Writes the checksums of a file of patterns anew, wherever its header has room for them, so that other changes get
/// past them. Returns that of the header, and the rows that the header claims.
pub fn reseal(file: &mut [u8]) -> Option<(u64, u64)> {
    let length = u64::from_le_bytes(*file.first_chunk()?);
    let start = usize::try_from(length).ok()?.checked_add(8)?;
    let header: serde_json::Value = serde_json::from_slice(file.get(8..start)?).ok()?;
    let rows = header["patterns"]["shape"][0].as_u64()?;
    for (name, tensor) in header.as_object()? {
        let place = |at: usize| usize::try_from(tensor["data_offsets"][at].as_u64()?).ok()?.checked_add(start);
        let (Some(from), Some(to)) = (place(0), place(1)) else { continue };
        let Some(bytes) = file.get(from..to).map(<[u8]>::to_vec) else { continue };
        seal(&mut file[..start], &format!("\"checksum.{name}\":\""), xxh3_64(&bytes));
        let blocks = header["__metadata__"]["blocks"].as_str().unwrap_or_default();
        let size = blocks.split(':').next().and_then(|size| size.parse::<usize>().ok()).filter(|&size| size > 0);
        if let (Some(size), "patterns", Ok(rows)) = (size, name.as_str(), usize::try_from(rows)) {
            let width = bytes.len() / rows.max(1);
            let parts = bytes.chunks(size.saturating_mul(width).max(1));
            let digits: String = parts.map(|part| format!("{:016x}", xxh3_64(part))).collect();
            let name = format!("\"blocks\":\"{size}:");
            if digits.len() == blocks.len().saturating_sub(size.to_string().len() + 1)
                && let Some(at) = place_after(&file[..start], &name)
                && let Some(place) = file[..start].get_mut(at..at + digits.len())
            {
                place.copy_from_slice(digits.as_bytes());
            }
        }
    }
    // The digits are zeros where it is taken.
    let at = place_after(&file[..start], "\"checksum.header\":\"")?;
    file[..start].get_mut(at..at + 16)?.fill(b'0');
    let checksum = xxh3_64(&file[..start]);
    seal(&mut file[..start], "\"checksum.header\":\"", checksum);
    Some((checksum, rows))
}

fn place_after(header: &[u8], text: &str) -> Option<usize> {
    Some(header.windows(text.len()).position(|window| window == text.as_bytes())? + text.len())
}

fn seal(header: &mut [u8], name: &str, checksum: u64) {
    if let Some(at) = place_after(header, name)
        && let Some(digits) = header.get_mut(at..at + 16)
    {
        digits.copy_from_slice(format!("{checksum:016x}").as_bytes());
    }
}
