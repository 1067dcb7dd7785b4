use serde_json::Value;
use upsert_kafka::Record;
use upsert_kafka::record::HeadersBuf;

/// `{"b64": "...", "text": "..."}`, or null: a null key or value.
pub fn read_bytes(json: &Value) -> Option<Vec<u8>> {
    match json {
        Value::Null => None,
        bytes => Some(decode_base64(bytes["b64"].as_str().expect("bytes are in base64"))),
    }
}

/// `[[name, BYTES], ...]`.
pub fn read_headers(json: &Value) -> HeadersBuf {
    let mut headers = HeadersBuf::new();
    for header in json.as_array().into_iter().flatten() {
        let name = header[0].as_str().expect("a header has a name");
        headers.push(name, read_bytes(&header[1]).as_deref());
    }
    headers
}

/// The parts of a record, owned.
pub struct RecordParts {
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: HeadersBuf,
    timestamp: Option<i64>,
}

impl RecordParts {
    /// `{"key", "value", "headers"?, "timestamp"?}`.
    pub fn read(json: &Value) -> Self {
        Self {
            key: read_bytes(&json["key"]),
            value: read_bytes(&json["value"]),
            headers: read_headers(&json["headers"]),
            timestamp: json["timestamp"].as_i64(),
        }
    }

    pub fn as_record(&self) -> Record<'_> {
        let record = Record::new(self.key.as_deref(), self.value.as_deref()).with_headers(&self.headers);
        match self.timestamp {
            Some(timestamp) => record.with_timestamp(timestamp),
            None => record,
        }
    }
}

/// Standard base64 with padding, by its definition: four characters are 24 bits.
fn decode_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for character in text.trim_end_matches('=').bytes() {
        let (digit, _) =
            (0..).zip(ALPHABET).find(|(_, letter)| **letter == character).expect("a base64 digit");
        (bits, held) = (bits << 6 | digit, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held).to_le_bytes()[0]);
        }
    }
    bytes
}
