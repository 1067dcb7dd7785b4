//! Java's spelling of values, over plain integers and byte buffers: numbers, dates, base64, string escapes.
