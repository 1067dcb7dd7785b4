use proptest::prelude::*;

use super::*;

/// The cells, which the fast path reads like the slow one.
fn cells(options: &CsvOptions, bytes: &[u8]) -> Result<Vec<String>, String> {
    let slow = cells_with(options, bytes, false);
    assert_eq!(cells_with(options, bytes, true), slow, "{bytes:?}");
    slow
}

fn cells_with(options: &CsvOptions, bytes: &[u8], fast: bool) -> Result<Vec<String>, String> {
    let (dialect, input) = (Dialect::new(options), Input::new(bytes));
    let (mut cells, mut scratch) = (Vec::new(), b"left over".to_vec());
    let mut read = || {
        let mut line = Line::start(&dialect, &input)?;
        loop {
            if let Some(cell) = fast.then(|| line.plain_cell()).flatten() {
                cells.push(cell.to_owned());
            } else if let Some(cell) = line.next_cell(&mut scratch)? {
                cells.push(cell.to_owned());
            } else {
                break;
            }
        }
        line.finish()
    };
    read().map(|()| cells).map_err(|error: Error| error.to_string())
}

/// From Flink: golden decode/csv, line and string.
#[test]
fn quotes_count_at_the_start_of_a_cell() {
    let options = CsvOptions::default();
    for (line, expected) in [
        ("1,x,y", &["1", "x", "y"][..]),
        ("1,x,", &["1", "x", ""]),
        (" 1 , \"x\" ", &[" 1 ", " \"x\" "]),
        ("\"x,y\",\"x\"\"y\",\"\"", &["x,y", "x\"y", ""]),
        ("\"x\" ,y", &["x", "y"]),
        ("\"x\ny\",z", &["x\ny", "z"]),
        ("a\"b,c", &["a\"b", "c"]),
        ("x\\y", &["x\\y"]),
        ("x\r\n\"second", &["x"]),
        ("\nx", &[""]),
        ("#x", &["#x"]),
    ] {
        assert_eq!(cells(&options, line.as_bytes()).unwrap(), expected, "{line:?}");
    }
}

#[test]
fn the_options_change_what_a_cell_is() {
    let plain = CsvOptions::default();
    let trimming = CsvOptions { trim_spaces: true, ..CsvOptions::default() };
    let escaping = CsvOptions { escape: Some('\\'), ..CsvOptions::default() };
    let commenting = CsvOptions { allow_comments: true, ..CsvOptions::default() };
    let unquoted = CsvOptions { quote: None, ..CsvOptions::default() };
    let wide = CsvOptions { field_delimiter: '。', quote: Some('é'), ..CsvOptions::default() };
    for (options, line, expected) in [
        (&trimming, " 1 ,\t\" x \" , ", &["1", " x ", ""][..]),
        (&trimming, "\u{A0}1", &["\u{A0}1"]),
        (&escaping, "a\\,b,\"\\\"\\n\",\\0", &["a,b", "\"\n", "\0"]),
        (&commenting, "#c\n\n  x,#y", &["x", "#y"]),
        (&unquoted, "\"a,b\"", &["\"a", "b\""]),
        (&wide, "a。éb。ééé。è", &["a", "b。é", "è"]),
        (&plain, "a\tb", &["a\tb"]),
    ] {
        assert_eq!(cells(options, line.as_bytes()).unwrap(), expected, "{line:?}");
    }
}

#[test]
fn an_error_names_the_byte() {
    let escaping = CsvOptions { escape: Some('\\'), ..CsvOptions::default() };
    for (line, expected) in [
        (&b""[..], "byte 0: no content, neither a line nor an empty one"),
        (b"1,\"x", "byte 4: missing closing quote"),
        (b"1,\"x\"y", "byte 5: a closing quote is followed by more than blanks"),
        (b"\xEF\xBB\xBFx\\", "byte 5: the text ends in an escape"),
        (b"x,\xFF", "an invalid UTF-8 start byte"),
        (b"x\n\xFF", "an invalid UTF-8 start byte"),
    ] {
        assert_eq!(cells(&escaping, line).unwrap_err(), expected, "{line:?}");
    }
    assert_eq!(cells(&escaping, b"x\ny\xFF").unwrap(), ["x"]);
}

/// The cells of the first line as Jackson goes about it: character by character, each into the cell.
fn naive(options: &CsvOptions, text: &str) -> Option<Vec<String>> {
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next_if(|c| options.allow_comments && "# \r\n".contains(*c)) {
        while first == '#' && rest.next_if(|c| !"\r\n".contains(*c)).is_some() {}
    }
    rest.peek()?;
    let unescape = |escaped| match escaped {
        '0' => '\0',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    };
    let mut cells = Vec::new();
    loop {
        let mut cell = String::new();
        let is_blank = |blank: &char| *blank <= ' ' && *blank != options.field_delimiter;
        while options.trim_spaces && rest.next_if(|c| is_blank(c) && !"\r\n".contains(*c)).is_some() {}
        if matches!(rest.peek(), Some('\r' | '\n')) {
            cells.push(cell);
            return Some(cells);
        }
        let mut has_next = false;
        if rest.next_if(|c| Some(*c) == options.quote).is_some() {
            loop {
                match rest.next()? {
                    c if Some(c) == options.quote => match rest.next_if_eq(&c) {
                        Some(_) => cell.push(c),
                        None => break,
                    },
                    c if Some(c) == options.escape => cell.push(unescape(rest.next()?)),
                    c => cell.push(c),
                }
            }
            for c in rest.by_ref() {
                match c {
                    _ if c == options.field_delimiter => has_next = true,
                    '\r' | '\n' => {}
                    '\0'..=' ' => continue,
                    _ => return None,
                }
                break;
            }
        } else {
            while let Some(c) = rest.next() {
                match c {
                    _ if c == options.field_delimiter => has_next = true,
                    '\r' | '\n' => {}
                    _ if Some(c) == options.escape => {
                        cell.push(unescape(rest.next()?));
                        continue;
                    }
                    _ => {
                        cell.push(c);
                        continue;
                    }
                }
                break;
            }
            if options.trim_spaces {
                cell.truncate(cell.trim_end_matches(|c| c <= ' ').len());
            }
        }
        cells.push(cell);
        if !has_next {
            return Some(cells);
        }
    }
}

fn special() -> impl Strategy<Value = char> {
    prop::sample::select(vec![',', ';', '\t', ' ', '"', '\'', '\\', 'e', '#', '\n', 'é', '。'])
}

proptest! {
    #[test]
    fn any_line_is_read_as_character_by_character(
        field_delimiter in special(),
        quote in prop::option::of(special()),
        escape in prop::option::of(special()),
        trim_spaces: bool,
        allow_comments: bool,
        text in "[,;\t \"'\\\\e0nr#\r\né。日]{0,24}",
    ) {
        let options =
            CsvOptions { field_delimiter, quote, escape, trim_spaces, allow_comments, ..CsvOptions::default() };
        prop_assert_eq!(cells(&options, text.as_bytes()).ok(), naive(&options, &text));
    }
}
