use upsert_kafka::types::DataType;

/// Any text is a type or an error, and a type is read back from what it prints.
pub fn type_text(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match text.parse::<DataType>() {
        Ok(data_type) => {
            let printed = data_type.to_string();
            assert_eq!(printed.parse::<DataType>().expect("a type that was printed"), data_type, "{printed}");
            let _ = format!("{data_type:#}");
        }
        Err(error) => {
            let offset = error.offset().unwrap_or(0);
            assert!(text.is_char_boundary(offset), "byte {offset} of {text:?}: {error}");
        }
    }
}
