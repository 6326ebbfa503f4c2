//! A small HTTP server on this machine, which misbehaves as it is told.
#![allow(dead_code)] // every test file uses some of it

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No answer takes longer.
const LONGEST: Duration = Duration::from_secs(20);

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The first byte that is wanted.
    pub(crate) range: Option<usize>,
    pub(crate) if_range: Option<String>,
}

/// What to answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// Send only so much of the body.
    pub(crate) cut: Option<usize>,
    /// Then keep the connection, and say nothing.
    pub(crate) hang: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, headers: &[&str], body: &[u8]) -> Self {
        let headers = headers.iter().map(|&header| header.to_owned()).collect();
        Reply { status, headers, body: body.to_vec(), cut: None, hang: false }
    }

    pub(crate) fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }

    pub(crate) fn hang(mut self) -> Self {
        self.hang = true;
        self
    }
}

/// A server as it should be: a file with an entity tag, and ranges of it.
pub(crate) fn serve(file: &[u8], tag: &str, request: &Request) -> Reply {
    let named = format!("ETag: {tag}");
    match request.range {
        Some(from) if request.if_range.as_deref().is_none_or(|wanted| wanted == tag) => {
            if from >= file.len() {
                return Reply::new(416, &[&format!("Content-Range: bytes */{}", file.len())], b"");
            }
            let range = format!("Content-Range: bytes {from}-{}/{}", file.len() - 1, file.len());
            Reply::new(206, &[&named, &range], &file[from..])
        }
        _ => Reply::new(200, &[&named], file),
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    address: String,
    log: Arc<Mutex<Vec<Request>>>,
    /// How many clients have left a connection that hung.
    left: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Answers the request of each number, from 0.
    pub(crate) fn new(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        listener.set_nonblocking(true).expect("a listener that can be stopped");
        let (log, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let left = Arc::new(AtomicUsize::new(0));
        let (seen, end, gone, answer) = (Arc::clone(&log), Arc::clone(&stop), Arc::clone(&left), Arc::new(answer));
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                let Ok((stream, _)) = listener.accept() else {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                };
                let (seen, end, answer) = (Arc::clone(&seen), Arc::clone(&end), Arc::clone(&answer));
                let gone = Arc::clone(&gone);
                std::thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let number = {
                        let mut log = seen.lock().expect("a log");
                        log.push(request.clone());
                        log.len() - 1
                    };
                    write(stream, &answer(number, &request), &end, &gone);
                });
            }
        });
        Server { address, log, left, stop, thread: Some(thread) }
    }

    /// The address of a file.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    /// What has been asked for so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.lock().expect("a log").clone()
    }

    /// How many clients have left a connection that hung.
    pub(crate) fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    /// The first bytes that were asked for, one a request.
    pub(crate) fn ranges(&self) -> Vec<Option<usize>> {
        self.requests().iter().map(|request| request.range).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(LONGEST)).ok()?;
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let mut request = Request { path: first.split(' ').nth(1)?.to_owned(), range: None, if_range: None };
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match &name.to_ascii_lowercase()[..] {
            "range" => request.range = value.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok(),
            "if-range" => request.if_range = Some(value.to_owned()),
            _ => {}
        }
    }
    Some(request)
}

fn write(mut stream: TcpStream, reply: &Reply, end: &AtomicBool, gone: &AtomicUsize) {
    let mut head = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", reply.status);
    let unsaid = reply.headers.iter().any(|header| header == "unsaid length");
    if !unsaid {
        head += &format!("Content-Length: {}\r\n", reply.body.len());
    }
    for header in reply.headers.iter().filter(|header| *header != "unsaid length") {
        head += &format!("{header}\r\n");
    }
    head += "\r\n";
    let body = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
    // A client that has gone is what some tests are about.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).and_then(|()| stream.flush());
    let until = Instant::now() + LONGEST;
    let _ = stream.set_read_timeout(Some(Duration::from_millis(5)));
    while reply.hang && !end.load(Ordering::Relaxed) && Instant::now() < until {
        let mut more = [0];
        let waiting = |error: &std::io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        match stream.peek(&mut more) {
            Err(error) if waiting(&error) => {}
            Ok(1) => {}
            _ => {
                gone.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
