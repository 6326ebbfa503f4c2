//! Receives a file into its part, as often as it takes.

use std::time::{Duration, Instant};

use super::super::{Packing, Proof, Source};
use super::http::{Event, Exchange, Failure, Head};
use super::part::{Origin, Part};
use super::{Hear, Progress, Settings, go_on};
use crate::error::{Error, Result};

const TICK: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why an attempt ended.
enum End {
    /// Another attempt may do better.
    Passing(String),
    Final(Error),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        End::Final(error)
    }
}

/// Receives what is missing of a file.
pub(super) fn fetch(
    source: &Source<'_>,
    address: &str,
    part: &mut Part,
    settings: &Settings,
    hear: &mut Hear<'_>,
) -> Result<()> {
    let (mut furthest, mut failures) = (part.length(), 0);
    loop {
        let why = match attempt(source, address, part, settings.timeout, hear) {
            Ok(()) => return Ok(()),
            Err(End::Final(error)) => return Err(error),
            Err(End::Passing(why)) => why,
        };
        // A long file over a bad line may take many attempts, as long as each of them gets further.
        if part.length() > furthest {
            (furthest, failures) = (part.length(), 0);
        }
        failures += 1;
        if failures >= settings.attempts {
            let what = format!("{why}; given up after {failures} attempts that came no further");
            return Err(Error::Download { address: address.to_owned(), what });
        }
        let pause = settings.pause.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST_PAUSE);
        let until = Instant::now() + pause;
        loop {
            go_on(hear, Progress::Retrying { why: &why })?;
            match until.saturating_duration_since(Instant::now()) {
                Duration::ZERO => break,
                left => std::thread::sleep(left.min(TICK)),
            }
        }
    }
}

fn attempt(
    source: &Source<'_>,
    address: &str,
    part: &mut Part,
    timeout: Duration,
    hear: &mut Hear<'_>,
) -> std::result::Result<(), End> {
    let begun = part.begun(address).cloned();
    if begun.as_ref().is_some_and(|origin| part.length() == origin.total) {
        return Ok(()); // all of it was here, and only what comes after was not done
    }
    let exchange = Exchange::start(address, begun.as_ref().map(|origin| (part.length(), origin)), timeout);
    let mut total = begun.as_ref().map(|origin| origin.total);
    loop {
        go_on(hear, Progress::Receiving { done: part.length(), total })?;
        match exchange.next(TICK) {
            None => {}
            Some(Ok(Event::Head(head))) => total = accept(source, address, part, begun.as_ref(), head)?,
            Some(Ok(Event::Chunk(bytes))) => {
                part.append(&bytes)?;
                check_size(source, address, part.length(), false)?;
            }
            Some(Ok(Event::End)) => return ended(source, address, part.length(), total),
            Some(Err(Failure { what, passing: true })) => return Err(End::Passing(what)),
            Some(Err(Failure { what, passing: false })) => {
                return Err(Error::Download { address: address.to_owned(), what }.into());
            }
        }
    }
}

/// Readies the part for what the server is going to send, and says how long the whole is.
fn accept(
    source: &Source<'_>,
    address: &str,
    part: &mut Part,
    begun: Option<&Origin>,
    head: Head,
) -> std::result::Result<Option<u64>, End> {
    let answer = format!("the server answered {} {}", head.status.0, head.status.1);
    match head.status.0 {
        200 => {
            if let Some(total) = head.length {
                check_size(source, address, total, true)?;
            }
            let known = head.version.zip(head.length);
            part.restart(known.map(|(version, total)| Origin { address: address.to_owned(), version, total }))?;
            Ok(head.length)
        }
        206 | 416 => match (begun, head.range) {
            // A server that does not know If-Range may send the end of another version.
            (Some(origin), Some(range))
                if range == (part.length(), origin.total)
                    && head.version.as_ref().is_none_or(|version| *version == origin.version) =>
            {
                Ok(Some(origin.total))
            }
            _ => {
                part.restart(None)?;
                Err(End::Passing(format!("{answer}, which does not go on from what is here")))
            }
        },
        408 | 429 | 500..=599 => Err(End::Passing(answer)),
        _ => Err(Error::Download { address: address.to_owned(), what: answer }.into()),
    }
}

/// All has been sent; whether it was all of the file.
fn ended(source: &Source<'_>, address: &str, length: u64, total: Option<u64>) -> std::result::Result<(), End> {
    match total {
        Some(total) if length < total => {
            Err(End::Passing(format!("the connection ended after {length} of {total} bytes")))
        }
        _ => Ok(check_size(source, address, length, true)?),
    }
}

/// Refuses a size that is not the one published, or while it is not all here, a larger one. Where contents may be
/// packed differently, anything up to twice the size will do.
fn check_size(source: &Source<'_>, address: &str, found: u64, all: bool) -> Result<()> {
    let exact = source.packing == Packing::Plain || source.proof != Proof::Contents;
    let most = if exact { source.size } else { source.size.saturating_mul(2).saturating_add(1 << 20) };
    if found > most || (all && exact && found != source.size) {
        return Err(Error::Size { file: address.to_owned(), found, expected: source.size });
    }
    Ok(())
}
