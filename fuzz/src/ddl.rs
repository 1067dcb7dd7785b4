use upsert_kafka::{Settings, Table};

use super::codec::{Decoder, Encoder};

/// Any text is a table or an error; a table is read back from what it prints, and is written and read or refused.
pub fn ddl(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Table::from_ddl(text) {
        Ok(table) => {
            let printed = table.to_string();
            assert_eq!(Table::from_ddl(&printed).expect("a table that was printed"), table, "{printed}");
            if let (Ok(_), Err(error)) = (Encoder::new(&table, &Settings::default()), table.sink()) {
                panic!("an encoder for a table that is no sink: {error}");
            }
            if let (Ok(_), Err(error)) = (Decoder::new(&table, &Settings::default()), table.source()) {
                panic!("a decoder for a table that is no source: {error}");
            }
        }
        Err(error) => {
            let offset = error.offset().unwrap_or(0);
            assert!(text.is_char_boundary(offset), "byte {offset} of {text:?}: {error}");
        }
    }
}
