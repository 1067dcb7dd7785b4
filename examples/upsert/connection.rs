use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::{RequestHeader, ResponseHeader};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, Request, StrBytes};

/// A connection to one broker over plain TCP: a request goes out, and its response is waited for.
pub struct Connection {
    stream: TcpStream,
    correlation_id: i32,
}

/// The largest response that is taken: more than two fetches of the largest batch that brokers take by default.
const MAX_RESPONSE_BYTES: u32 = 64 << 20;

impl Connection {
    /// Connects to `address`, a `HOST:PORT`. A response has to begin within `timeout`.
    pub fn open(address: &str, timeout: Duration) -> io::Result<Self> {
        let mut failed = io::Error::from(io::ErrorKind::NotFound);
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, timeout) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(timeout))?;
                    stream.set_write_timeout(Some(timeout))?;
                    return Ok(Self { stream, correlation_id: 0 });
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Sends a request and reads its response. After an error the connection is of no more use: a response may be on
    /// its way.
    pub fn call<R: Request>(&mut self, request: &R, version: i16) -> io::Result<R::Response> {
        self.correlation_id = self.correlation_id.wrapping_add(1);
        let header = RequestHeader::default()
            .with_request_api_key(R::KEY)
            .with_request_api_version(version)
            .with_correlation_id(self.correlation_id)
            .with_client_id(Some(StrBytes::from_static_str("upsert-kafka")));
        let mut message = BytesMut::zeroed(4);
        header.encode(&mut message, R::header_version(version)).map_err(invalid)?;
        request.encode(&mut message, version).map_err(invalid)?;
        let size = u32::try_from(message.len() - 4).map_err(invalid)?;
        message[..4].copy_from_slice(&size.to_be_bytes());
        self.stream.write_all(&message)?;

        let mut response = self.receive()?;
        let version_of_header = R::Response::header_version(version);
        let header = ResponseHeader::decode(&mut response, version_of_header).map_err(invalid)?;
        if header.correlation_id != self.correlation_id {
            return Err(invalid("the response is to another request"));
        }
        R::Response::decode(&mut response, version).map_err(invalid)
    }

    fn receive(&mut self) -> io::Result<Bytes> {
        let mut size = [0; 4];
        self.stream.read_exact(&mut size)?;
        let size = u32::from_be_bytes(size);
        if size > MAX_RESPONSE_BYTES {
            return Err(invalid("the response is none of a Kafka broker on a plaintext listener"));
        }
        let mut response = vec![0; size as usize];
        self.stream.read_exact(&mut response)?;
        Ok(response.into())
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
