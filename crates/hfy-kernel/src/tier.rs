//! The instruction set that kernels run with: the best of the machine, or one that a test asks for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use pulp::{Arch, Scalar, WithSimd};

/// A set of vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Tier {
    /// The best that the machine has.
    Best,
    /// One number at a time.
    Scalar,
    /// AVX2 and FMA: eight numbers of single precision.
    Avx2,
    /// AVX-512: sixteen numbers of single precision.
    Avx512,
}

static FORCED: AtomicU8 = AtomicU8::new(Tier::Best as u8);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `work`, in all threads, with the instructions of a tier; `None` where the machine lacks them. For tests: every
/// way to compute then runs on every machine that can.
pub fn with_tier<R>(tier: Tier, work: impl FnOnce() -> R) -> Option<R> {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            FORCED.store(Tier::Best as u8, Ordering::SeqCst);
        }
    }

    #[cfg(target_arch = "x86_64")]
    let has = match tier {
        Tier::Best | Tier::Scalar => true,
        Tier::Avx2 => V3::try_new().is_some(),
        Tier::Avx512 => V4::try_new().is_some(),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let has = matches!(tier, Tier::Best | Tier::Scalar);
    if !has {
        return None;
    }
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let _restore = Restore;
    FORCED.store(tier as u8, Ordering::SeqCst);
    Some(work())
}

#[inline(always)]
fn is(tier: Tier) -> bool {
    FORCED.load(Ordering::Relaxed) == tier as u8
}

/// Runs work compiled for the tier in force.
#[inline(always)]
pub(crate) fn dispatch<W: WithSimd>(work: W) -> W::Output {
    if is(Tier::Best) {
        return Arch::new().dispatch(work);
    }
    #[cfg(target_arch = "x86_64")]
    if let (true, Some(simd)) = (is(Tier::Avx2), V3::try_new()) {
        return pulp::Simd::vectorize(simd, work);
    }
    #[cfg(target_arch = "x86_64")]
    if let (true, Some(simd)) = (is(Tier::Avx512), V4::try_new()) {
        return pulp::Simd::vectorize(simd, work);
    }
    work.with_simd(Scalar)
}

/// AVX-512, where the machine has it and the tier allows it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn avx512() -> Option<V4> {
    if is(Tier::Best) || is(Tier::Avx512) { V4::try_new() } else { None }
}

/// AVX2 and FMA, likewise.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn avx2() -> Option<V3> {
    if is(Tier::Best) || is(Tier::Avx2) { V3::try_new() } else { None }
}
