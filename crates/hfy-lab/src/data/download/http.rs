//! One request. It is answered from a thread of its own, so that whoever waits can stop at any time.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, Response};

use super::part::Origin;

const CHUNK: usize = 1 << 16;
/// How many chunks may wait to be written.
const AHEAD: usize = 16;

/// What comes, in this order.
#[derive(Debug)]
pub(super) enum Event {
    Head(Head),
    Chunk(Vec<u8>),
    End,
}

/// What a server says before it sends anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Its number, and what it means.
    pub(super) status: (u16, &'static str),
    /// What the server calls this version of the file.
    pub(super) version: Option<String>,
    /// How many bytes it is going to send.
    pub(super) length: Option<u64>,
    /// Where in the file these begin, and how many the file has, if it sends a part.
    pub(super) range: Option<(u64, u64)>,
}

/// Why nothing more comes.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) what: String,
    /// Whether it may go better another time.
    pub(super) passing: bool,
}

/// A request on its way.
#[derive(Debug)]
pub(super) struct Exchange {
    agent: Agent,
    events: Receiver<Result<Event, Failure>>,
}

impl Exchange {
    /// Asks for a file; where some of it is there, for the rest of the same version.
    pub(super) fn start(address: &str, begun: Option<(u64, &Origin)>, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("hfy-lab/", env!("CARGO_PKG_VERSION")))
            // The bytes of the file itself are wanted, and ranges count these.
            .accept_encoding("identity")
            .timeout_resolve(Some(timeout))
            .timeout_connect(Some(timeout))
            .timeout_recv_response(Some(timeout))
            .timeout_per_read(Some(timeout))
            .timeout_per_write(Some(timeout));
        let agent: Agent = config.build().into();
        let mut request = agent.get(address);
        if let Some((from, origin)) = begun {
            request = request.header("Range", format!("bytes={from}-")).header("If-Range", &origin.version);
        }
        let (sender, events) = sync_channel(AHEAD);
        std::thread::spawn(move || match request.call() {
            Ok(response) => relay(response, &sender),
            Err(error) => drop(sender.send(Err(failure(&error)))),
        });
        Exchange { agent, events }
    }

    /// What comes next, or nothing if it does not come within `tick`.
    pub(super) fn next(&self, tick: Duration) -> Option<Result<Event, Failure>> {
        match self.events.recv_timeout(tick) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(Failure { what: "the connection ended".to_owned(), passing: true }))
            }
        }
    }
}

/// Closes the connection, so that the thread does not wait for what nobody wants.
impl Drop for Exchange {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// Sends everything on; nobody listening any more is an end like any other.
fn relay(response: Response<ureq::Body>, sender: &SyncSender<Result<Event, Failure>>) {
    let (parts, body) = response.into_parts();
    let status = (parts.status.as_u16(), parts.status.canonical_reason().unwrap_or("unknown"));
    let (version, range) = (version(&parts.headers), text(&parts.headers, "content-range").and_then(range));
    let length = body.content_length();
    let mut sent = sender.send(Ok(Event::Head(Head { status, version, length, range })));
    let mut reader = body.into_reader();
    while sent.is_ok() {
        let mut chunk = vec![0; CHUNK];
        sent = match reader.read(&mut chunk) {
            Ok(0) => return drop(sender.send(Ok(Event::End))),
            Ok(count) => {
                chunk.truncate(count);
                sender.send(Ok(Event::Chunk(chunk)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(()),
            Err(error) => return drop(sender.send(Err(Failure { what: error.to_string(), passing: true }))),
        };
    }
}

fn failure(error: &ureq::Error) -> Failure {
    use ureq::Error as E;
    let passing = match error {
        // A certificate that is not right will not be so in a second.
        E::Io(error) => error.kind() != std::io::ErrorKind::InvalidData,
        E::Timeout(_) | E::HostNotFound | E::Protocol(_) | E::ConnectionFailed | E::ConnectProxyFailed(_) => true,
        _ => false,
    };
    Failure { what: error.to_string(), passing }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// What `If-Range` may hold: an entity tag that is strong, else a date.
fn version(headers: &HeaderMap) -> Option<String> {
    let tag = text(headers, "etag").filter(|tag| tag.starts_with('"'));
    tag.or_else(|| text(headers, "last-modified")).filter(|version| !version.is_empty()).map(str::to_owned)
}

/// The first byte and the size of the whole, from `bytes 100-199/200`.
fn range(text: &str) -> Option<(u64, u64)> {
    let (bytes, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    Some((bytes.split_once('-')?.0.trim().parse().ok()?, total.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, range, version};

    #[test]
    fn ranges() {
        assert_eq!(range("bytes 100-199/200"), Some((100, 200)));
        for other in ["bytes */200", "bytes 100-199/*", "100-199/200", "bytes -1-2/x", ""] {
            assert_eq!(range(other), None, "{other}");
        }
    }

    #[test]
    fn weak_tags_are_passed_over() {
        let mut headers = HeaderMap::new();
        assert_eq!(version(&headers), None);
        headers.insert("etag", "W/\"1\"".parse().unwrap());
        assert_eq!(version(&headers), None);
        headers.insert("last-modified", "Tue, 01 Jan 2019 00:00:00 GMT".parse().unwrap());
        assert_eq!(version(&headers).as_deref(), Some("Tue, 01 Jan 2019 00:00:00 GMT"));
        headers.insert("etag", "\"1\"".parse().unwrap());
        assert_eq!(version(&headers).as_deref(), Some("\"1\""));
    }
}
