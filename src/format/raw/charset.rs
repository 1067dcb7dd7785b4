//! The charsets of `raw`, by Java's names.

use std::char::REPLACEMENT_CHARACTER;

use crate::error::{Error, ErrorKind};
use crate::format::unicode::{ByteOrder, Utf16Units, decode_utf16};
use crate::text::decode_utf8;

#[cfg(feature = "charsets")]
use super::legacy::Legacy;

/// A charset that Java knows.
///
/// Writes `?` for a character that it does not have, and reads U+FFFD where bytes are malformed, as often as Java
/// does. Agrees with `java.lang.String`'s `getBytes(Charset)` and `new String(byte[], Charset)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Utf16(Wide),
    Utf32(Wide),
    /// ISO-8859-1.
    Latin1,
    /// US-ASCII.
    Ascii,
    /// One beyond Unicode and Latin-1.
    #[cfg(feature = "charsets")]
    Legacy(Legacy),
}

/// What a charset of wide units does about their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide {
    order: ByteOrder,
    /// Whether a text that is not empty begins with a byte order mark.
    writes_mark: bool,
    reads_mark: ReadMark,
}

/// What becomes of a byte order mark in front of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadMark {
    /// It is a character.
    Never,
    /// It is passed over if it is in the charset's own order.
    Own,
    /// It decides on the order.
    Either,
}

impl Charset {
    const UTF_16: Self = Self::utf16(ByteOrder::Big, true, ReadMark::Either);
    const UTF_16BE: Self = Self::utf16(ByteOrder::Big, false, ReadMark::Never);
    const UTF_16LE: Self = Self::utf16(ByteOrder::Little, false, ReadMark::Never);
    const UTF_16LE_MARKED: Self = Self::utf16(ByteOrder::Little, true, ReadMark::Either);
    const UTF_32: Self = Self::utf32(ByteOrder::Big, false, ReadMark::Either);
    const UTF_32BE: Self = Self::utf32(ByteOrder::Big, false, ReadMark::Own);
    const UTF_32BE_MARKED: Self = Self::utf32(ByteOrder::Big, true, ReadMark::Own);
    const UTF_32LE: Self = Self::utf32(ByteOrder::Little, false, ReadMark::Own);
    const UTF_32LE_MARKED: Self = Self::utf32(ByteOrder::Little, true, ReadMark::Own);

    const fn utf16(order: ByteOrder, writes_mark: bool, reads_mark: ReadMark) -> Self {
        Self::Utf16(Wide { order, writes_mark, reads_mark })
    }

    const fn utf32(order: ByteOrder, writes_mark: bool, reads_mark: ReadMark) -> Self {
        Self::Utf32(Wide { order, writes_mark, reads_mark })
    }

    /// The charset of that name or alias, in any case.
    ///
    /// # Errors
    ///
    /// If Java or this crate knows none of that name, or it needs a feature that is off.
    pub(crate) fn find(name: &str) -> Result<Self, Error> {
        let is_named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if let Some((charset, _)) = BY_HAND.iter().find(|(_, names)| is_named(names)) {
            return Ok(*charset);
        }
        match OTHERS.iter().find(|names| is_named(names)) {
            Some(names) => Self::find_legacy(name, names[0]),
            None => Err(unknown(name)),
        }
    }

    #[cfg(feature = "charsets")]
    fn find_legacy(name: &str, known: &str) -> Result<Self, Error> {
        Legacy::find(known).map(Self::Legacy).ok_or_else(|| unknown(name))
    }

    #[cfg(not(feature = "charsets"))]
    fn find_legacy(name: &str, _known: &str) -> Result<Self, Error> {
        Err(Error::new(ErrorKind::Feature, name.to_owned())
            .with_help("that charset needs the feature `charsets` of this crate"))
    }

    /// Appends `text`.
    #[inline]
    pub(super) fn encode(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Utf16(wide) => {
                let mark = (wide.writes_mark && !text.is_empty()).then_some(0xFEFF);
                for unit in mark.into_iter().chain(text.encode_utf16()) {
                    out.extend_from_slice(&wide.order.arrange(unit.to_be_bytes()));
                }
            }
            Self::Utf32(wide) => {
                let mark = (wide.writes_mark && !text.is_empty()).then_some(BYTE_ORDER_MARK);
                for character in mark.into_iter().chain(text.chars()) {
                    out.extend_from_slice(&wide.order.arrange(u32::from(character).to_be_bytes()));
                }
            }
            Self::Latin1 => {
                out.extend(text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')));
            }
            Self::Ascii => {
                let ascii = |character| u8::try_from(character).ok().filter(u8::is_ascii);
                out.extend(text.chars().map(|character| ascii(character).unwrap_or(b'?')));
            }
            #[cfg(feature = "charsets")]
            Self::Legacy(legacy) => legacy.encode(text, out),
        }
    }

    /// Appends the text that `bytes` are.
    #[inline]
    pub(super) fn decode(self, bytes: &[u8], out: &mut String) {
        match self {
            Self::Utf8 => decode_utf8(bytes, out),
            Self::Utf16(wide) => {
                let (order, bytes) = wide.pass_mark(bytes, [0xFE, 0xFF]);
                decode_utf16(bytes, order, out);
            }
            Self::Utf32(wide) => {
                let (order, bytes) = wide.pass_mark(bytes, [0, 0, 0xFE, 0xFF]);
                decode_utf32(bytes, order, out);
            }
            Self::Latin1 => out.extend(bytes.iter().copied().map(char::from)),
            Self::Ascii => out.extend(
                bytes.iter().map(
                    |&byte| {
                        if byte.is_ascii() { char::from(byte) } else { REPLACEMENT_CHARACTER }
                    },
                ),
            ),
            #[cfg(feature = "charsets")]
            Self::Legacy(legacy) => legacy.decode(bytes, out),
        }
    }
}

/// The message of Java's `UnsupportedCharsetException` is the name alone.
#[cold]
fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::Table, name.to_owned()).with_help("no charset of that name is known")
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

impl Wide {
    /// The order that `bytes` are in, and those after their byte order mark. `mark` is the one for [`ByteOrder::Big`].
    fn pass_mark<const N: usize>(self, bytes: &[u8], mark: [u8; N]) -> (ByteOrder, &[u8]) {
        let mut reversed = mark;
        reversed.reverse();
        [(ByteOrder::Big, mark), (ByteOrder::Little, reversed)]
            .into_iter()
            .filter(|(order, _)| match self.reads_mark {
                ReadMark::Never => false,
                ReadMark::Own => *order == self.order,
                ReadMark::Either => true,
            })
            .find_map(|(order, mark)| Some((order, bytes.strip_prefix(&mark)?)))
            .unwrap_or((self.order, bytes))
    }
}

/// Surrogates are units like others here, two of them may be a pair.
fn decode_utf32(bytes: &[u8], order: ByteOrder, out: &mut String) {
    let (codes, rest) = bytes.as_chunks::<4>();
    let mut units = Utf16Units::new(out);
    for &code in codes {
        let code = u32::from_be_bytes(order.arrange(code));
        match u16::try_from(code) {
            Ok(unit) => units.push(unit),
            Err(_) => units.push_char(char::from_u32(code).unwrap_or(REPLACEMENT_CHARACTER)),
        }
    }
    if !rest.is_empty() {
        units.push_char(REPLACEMENT_CHARACTER);
    }
    units.finish();
}

/// Java's names, the canonical one first.
#[rustfmt::skip]
const BY_HAND: &[(Charset, &[&str])] = &[
    (Charset::Utf8, &["UTF-8", "UTF8", "unicode-1-1-utf-8"]),
    (Charset::UTF_16, &["UTF-16", "UTF_16", "utf16", "unicode", "UnicodeBig"]),
    (Charset::UTF_16BE, &["UTF-16BE", "UTF_16BE", "ISO-10646-UCS-2", "X-UTF-16BE", "UnicodeBigUnmarked"]),
    (Charset::UTF_16LE, &["UTF-16LE", "UTF_16LE", "X-UTF-16LE", "UnicodeLittleUnmarked"]),
    (Charset::UTF_16LE_MARKED, &["x-UTF-16LE-BOM", "UnicodeLittle"]),
    (Charset::UTF_32, &["UTF-32", "UTF_32", "UTF32"]),
    (Charset::UTF_32BE, &["UTF-32BE", "UTF_32BE", "X-UTF-32BE"]),
    (Charset::UTF_32BE_MARKED, &["X-UTF-32BE-BOM", "UTF_32BE_BOM", "UTF-32BE-BOM"]),
    (Charset::UTF_32LE, &["UTF-32LE", "UTF_32LE", "X-UTF-32LE"]),
    (Charset::UTF_32LE_MARKED, &["X-UTF-32LE-BOM", "UTF_32LE_BOM", "UTF-32LE-BOM"]),
    (Charset::Latin1, &[
        "ISO-8859-1", "iso-ir-100", "ISO_8859-1", "latin1", "l1", "IBM819", "cp819", "csISOLatin1", "819", "IBM-819",
        "ISO8859_1", "ISO_8859-1:1987", "ISO_8859_1", "8859_1", "ISO8859-1",
    ]),
    (Charset::Ascii, &[
        "US-ASCII", "iso-ir-6", "ANSI_X3.4-1986", "ISO_646.irv:1991", "ASCII", "ISO646-US", "us", "IBM367", "cp367",
        "csASCII", "default", "646", "iso_646.irv:1983", "ANSI_X3.4-1968", "ascii7",
    ]),
];

/// Java's names of the other charsets, the canonical one first.
#[rustfmt::skip]
const OTHERS: &[&[&str]] = &[
    &["Big5", "csBig5"],
    &["EUC-JP", "euc_jp", "eucjis", "eucjp", "Extended_UNIX_Code_Packed_Format_for_Japanese", "csEUCPkdFmtjapanese", "x-euc-jp", "x-eucjp"],
    &["EUC-KR", "euc_kr", "ksc5601", "euckr", "ks_c_5601-1987", "ksc5601-1987", "ksc5601_1987", "ksc_5601", "csEUCKR", "5601"],
    &["GB18030", "gb18030-2022"],
    &["GB2312", "gb2312", "gb2312-80", "gb2312-1980", "euc-cn", "euccn", "x-EUC-CN", "EUC_CN"],
    &["GBK", "CP936", "windows-936"],
    &["IBM866", "cp866", "ibm866", "ibm-866", "866", "csIBM866"],
    &["ISO-2022-JP", "iso2022jp", "jis", "csISO2022JP", "jis_encoding", "csjisencoding"],
    &["ISO-8859-2", "iso8859_2", "8859_2", "iso-ir-101", "ISO_8859-2", "ISO_8859-2:1987", "ISO8859-2", "latin2", "l2", "ibm912", "ibm-912", "cp912", "912", "csISOLatin2"],
    &["ISO-8859-3", "iso8859_3", "8859_3", "ISO_8859-3:1988", "iso-ir-109", "ISO_8859-3", "ISO8859-3", "latin3", "l3", "ibm913", "ibm-913", "cp913", "913", "csISOLatin3"],
    &["ISO-8859-4", "iso8859_4", "iso8859-4", "8859_4", "iso-ir-110", "ISO_8859-4", "ISO_8859-4:1988", "latin4", "l4", "ibm914", "ibm-914", "cp914", "914", "csISOLatin4"],
    &["ISO-8859-5", "iso8859_5", "8859_5", "iso-ir-144", "ISO_8859-5", "ISO_8859-5:1988", "ISO8859-5", "cyrillic", "ibm915", "ibm-915", "cp915", "915", "csISOLatinCyrillic"],
    &["ISO-8859-6", "iso8859_6", "8859_6", "iso-ir-127", "ISO_8859-6", "ISO_8859-6:1987", "ISO8859-6", "ECMA-114", "ASMO-708", "arabic", "ibm1089", "ibm-1089", "cp1089", "1089", "csISOLatinArabic"],
    &["ISO-8859-7", "iso8859_7", "8859_7", "iso-ir-126", "ISO_8859-7", "ISO_8859-7:1987", "ELOT_928", "ECMA-118", "greek", "greek8", "csISOLatinGreek", "sun_eu_greek", "ibm813", "ibm-813", "813", "cp813", "iso8859-7"],
    &["ISO-8859-8", "iso8859_8", "8859_8", "iso-ir-138", "ISO_8859-8", "ISO_8859-8:1988", "ISO8859-8", "cp916", "916", "ibm916", "ibm-916", "hebrew", "csISOLatinHebrew"],
    &["ISO-8859-9", "iso8859_9", "8859_9", "iso-ir-148", "ISO_8859-9", "ISO_8859-9:1989", "ISO8859-9", "latin5", "l5", "ibm920", "ibm-920", "920", "cp920", "csISOLatin5"],
    &["ISO-8859-13", "iso8859_13", "8859_13", "iso_8859-13", "ISO8859-13"],
    &["ISO-8859-15", "ISO_8859-15", "Latin-9", "csISO885915", "8859_15", "ISO-8859-15", "IBM923", "IBM-923", "cp923", "923", "LATIN0", "LATIN9", "L9", "csISOlatin0", "csISOlatin9", "ISO8859_15_FDIS", "ISO8859-15", "ISO8859_15"],
    &["ISO-8859-16", "iso8859_16", "iso-ir-226", "ISO_8859-16", "ISO_8859-16:2001", "latin10", "l10", "csISO885916"],
    &["KOI8-R", "koi8_r", "koi8", "cskoi8r"],
    &["KOI8-U", "koi8_u"],
    &["Shift_JIS", "sjis", "shift_jis", "shift-jis", "ms_kanji", "x-sjis", "csShiftJIS"],
    &["TIS-620", "tis620", "tis620.2533"],
    &["windows-1250", "cp1250", "cp5346"],
    &["windows-1251", "cp1251", "cp5347", "ansi-1251"],
    &["windows-1252", "cp1252", "cp5348", "ibm-1252", "ibm1252"],
    &["windows-1253", "cp1253", "cp5349"],
    &["windows-1254", "cp1254", "cp5350"],
    &["windows-1255", "cp1255"],
    &["windows-1256", "cp1256"],
    &["windows-1257", "cp1257", "cp5353"],
    &["windows-1258", "cp1258"],
    &["windows-31j", "MS932", "windows-932", "csWindows31J"],
    &["x-MacCyrillic", "MacCyrillic"],
    &["x-MacRoman", "MacRoman"],
    &["x-windows-874", "ms874", "ms-874", "windows-874"],
    &["x-windows-949", "ms949", "windows949", "windows-949", "ms_949"],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(charset: Charset, bytes: &[u8]) -> String {
        let mut out = String::new();
        charset.decode(bytes, &mut out);
        out
    }

    fn encoded(charset: Charset, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        charset.encode(text, &mut out);
        out
    }

    #[test]
    fn a_charset_has_javas_names_in_any_case() {
        assert_eq!(Charset::find("utf8").unwrap(), Charset::Utf8);
        assert_eq!(Charset::find("LATIN1").unwrap(), Charset::Latin1);
        assert_eq!(Charset::find("unicodelittle").unwrap(), Charset::UTF_16LE_MARKED);
        for name in ["nope", ""] {
            assert_eq!(Charset::find(name).unwrap_err().kind(), ErrorKind::Table);
        }
    }

    #[test]
    fn a_legacy_charset_needs_a_feature() {
        for names in OTHERS {
            assert_eq!(Charset::find(names[0]).is_ok(), cfg!(feature = "charsets"), "{names:?}");
        }
        let refusal = Charset::find("CP1252").err().map(|error| error.kind());
        assert_eq!(refusal, cfg!(not(feature = "charsets")).then_some(ErrorKind::Feature));
    }

    /// From Java 17.
    #[test]
    fn byte_order_marks_are_read_and_written_as_java_does() {
        for (name, bytes, text) in [
            ("UTF-16", &[0xFF, 0xFE, 0x61, 0x00][..], "a"),
            ("UTF-16", &[0xFE, 0xFF, 0xFE, 0xFF], "\u{FEFF}"),
            ("UTF-16", &[0x61, 0x00], "\u{6100}"),
            ("UTF-16BE", &[0xFE, 0xFF, 0x00, 0x61], "\u{FEFF}a"),
            ("x-UTF-16LE-BOM", &[0xFE, 0xFF, 0x00, 0x61], "a"),
            ("x-UTF-16LE-BOM", &[0x61, 0x00], "a"),
            ("UTF-32", &[0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], "a"),
            ("UTF-32BE", &[0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61], "a"),
            ("UTF-32BE", &[0xFF, 0xFE, 0x00, 0x00], "\u{FFFD}"),
            ("UTF-32", &[0x00, 0x00, 0xD8, 0x3D, 0x00, 0x00, 0xDE, 0x00], "😀"),
            ("UTF-32", &[0x00, 0x11, 0x00, 0x00, 0x00], "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(decoded(Charset::find(name).unwrap(), bytes), text, "{name} {bytes:X?}");
        }
        for (name, text, bytes) in [
            ("UTF-16", "", &[][..]),
            ("UTF-16", "a😀", &[0xFE, 0xFF, 0x00, 0x61, 0xD8, 0x3D, 0xDE, 0x00]),
            ("x-UTF-16LE-BOM", "a", &[0xFF, 0xFE, 0x61, 0x00]),
            ("UTF-32", "😀", &[0x00, 0x01, 0xF6, 0x00]),
            ("X-UTF-32LE-BOM", "a", &[0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00]),
            ("ISO-8859-1", "é日😀", &[0xE9, b'?', b'?']),
            ("US-ASCII", "é€", b"??"),
        ] {
            assert_eq!(encoded(Charset::find(name).unwrap(), text), bytes, "{name} {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_text_in_any_charset(bytes: Vec<u8>) {
            let names = BY_HAND.iter().map(|(_, names)| names[0]).chain(OTHERS.iter().map(|names| names[0]));
            for charset in names.filter_map(|name| Charset::find(name).ok()) {
                encoded(charset, &decoded(charset, &bytes));
            }
        }
    }
}
