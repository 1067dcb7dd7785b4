use upsert_kafka::{Settings, Table};

/// Any text is a table or an error; a table is read back from the DDL it prints, and is written and read or refused.
pub fn ddl(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Table::from_ddl(text) {
        Ok(table) => {
            let printed = table.ddl_with_secrets();
            assert_eq!(Table::from_ddl(&printed).expect("a table that was printed"), table, "{printed}");
            if let Ok(sink) = table.sink(&Settings::default()) {
                assert!(sink.explain().ends_with('\n'));
            }
            if let Ok(source) = table.source(&Settings::default()) {
                assert!(source.explain().ends_with('\n'));
            }
        }
        Err(error) => {
            let offset = error.offset().unwrap_or(0);
            assert!(text.is_char_boundary(offset), "byte {offset} of {text:?}: {error}");
        }
    }
}
