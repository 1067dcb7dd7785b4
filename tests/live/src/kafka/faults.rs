//! A proxy between a client and the broker that does what networks do.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::changes::Random;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The connection is cut before the broker has all of it.
    CutInRequest,
    /// The broker has it, and the connection is cut before the response is through.
    CutInResponse,
    /// The response comes when the client has given up.
    AnsweredLate,
    /// The response comes twice, the second time as if it were the next one's.
    AnsweredTwice,
    /// The broker gets it twice at once; the client sees the first response.
    SentTwice,
    /// The broker gets it again after a later one; nobody sees that response.
    SentAgainLater,
}

/// Passes on what comes to its port, and does harm to some of the produce requests.
pub struct Proxy {
    pub port: u16,
    state: Arc<Mutex<State>>,
}

struct State {
    random: Random,
    one_in: u64,
    done: BTreeMap<Fault, u64>,
    /// Requests that the broker will get again.
    held: Vec<Vec<u8>>,
}

/// All there are.
pub const FAULTS: [Fault; 6] = [
    Fault::CutInRequest,
    Fault::CutInResponse,
    Fault::AnsweredLate,
    Fault::AnsweredTwice,
    Fault::SentTwice,
    Fault::SentAgainLater,
];
const PRODUCE: [u8; 2] = [0, 0];

impl Proxy {
    /// Listens on a port of 127.0.0.1 for clients of the broker at `target`, who give up after `patience`. One produce
    /// request in `one_in` is harmed.
    pub fn start(seed: u64, one_in: u64, patience: Duration, target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let port = listener.local_addr().expect("it is bound").port();
        let random = Random::new(seed);
        let state = Arc::new(Mutex::new(State { random, one_in, done: BTreeMap::new(), held: Vec::new() }));
        let shared = Arc::clone(&state);
        // It ends with the test's process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (state, target) = (Arc::clone(&shared), target.clone());
                thread::spawn(move || drop(serve(client, &target, &state, patience)));
            }
        });
        Self { port, state }
    }

    /// How often what was done.
    pub fn faults(&self) -> BTreeMap<Fault, u64> {
        self.state.lock().expect("nobody panicked").done.clone()
    }
}

/// Passes requests to the broker and responses back, one after the other, until an end is closed.
fn serve(mut client: TcpStream, target: &str, state: &Mutex<State>, patience: Duration) -> io::Result<()> {
    let mut broker = TcpStream::connect(target)?;
    broker.set_nodelay(true)?;
    client.set_nodelay(true)?;
    loop {
        let request = receive(&mut client)?;
        let fault = if request[4..].starts_with(&PRODUCE) {
            let state = &mut *state.lock().expect("nobody panicked");
            for held in std::mem::take(&mut state.held) {
                let mut aside = TcpStream::connect(target)?;
                aside.write_all(&held)?;
                receive(&mut aside)?;
            }
            let harmed = state.random.below(state.one_in) == 0;
            let fault = harmed.then(|| FAULTS[state.random.below(FAULTS.len() as u64) as usize]);
            fault.iter().for_each(|fault| *state.done.entry(*fault).or_default() += 1);
            if fault == Some(Fault::SentAgainLater) {
                state.held.push(request.clone());
            }
            fault
        } else {
            None
        };
        match fault {
            Some(Fault::CutInRequest) => return broker.write_all(&request[..request.len() / 2]),
            Some(Fault::CutInResponse) => {
                broker.write_all(&request)?;
                let response = receive(&mut broker)?;
                return client.write_all(&response[..response.len() / 2]);
            }
            Some(Fault::AnsweredLate) => {
                broker.write_all(&request)?;
                let response = receive(&mut broker)?;
                thread::sleep(patience + patience / 4);
                client.write_all(&response)?;
            }
            Some(Fault::AnsweredTwice) => {
                broker.write_all(&request)?;
                let response = receive(&mut broker)?;
                client.write_all(&response)?;
                client.write_all(&response)?;
            }
            Some(Fault::SentTwice) => {
                broker.write_all(&request)?;
                broker.write_all(&request)?;
                let response = receive(&mut broker)?;
                receive(&mut broker)?;
                client.write_all(&response)?;
            }
            Some(Fault::SentAgainLater) | None => {
                broker.write_all(&request)?;
                let response = receive(&mut broker)?;
                client.write_all(&response)?;
            }
        }
    }
}

/// A message with the length before it.
fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 4];
    stream.read_exact(&mut message)?;
    let size = u32::from_be_bytes([message[0], message[1], message[2], message[3]]);
    message.resize(4 + size as usize, 0);
    stream.read_exact(&mut message[4..])?;
    Ok(message)
}
