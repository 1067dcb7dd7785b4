/// A charset that Java knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    /// Written big-endian behind a byte order mark, read by it.
    Utf16,
    Utf16Be,
    Utf16Le,
    /// Written big-endian without a byte order mark, read by it.
    Utf32,
    Utf32Be,
    Utf32Le,
    /// ISO-8859-1.
    Latin1,
    /// US-ASCII.
    Ascii,
    /// One beyond Unicode and Latin-1, by its name.
    Other(&'static str),
}

impl Charset {
    /// The charset of that name or alias, in any case.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let is_named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let mut unicode = UNICODE.iter().filter(|(_, names)| is_named(names));
        let mut others = OTHERS.iter().filter(|names| is_named(names));
        unicode
            .next()
            .map(|(charset, _)| *charset)
            .or_else(|| others.next().map(|names| Self::Other(names[0])))
    }
}

/// Java's names, the canonical one first.
#[rustfmt::skip]
const UNICODE: &[(Charset, &[&str])] = &[
    (Charset::Utf8, &["UTF-8", "UTF8", "unicode-1-1-utf-8"]),
    (Charset::Utf16, &["UTF-16", "UTF_16", "utf16", "unicode", "UnicodeBig"]),
    (Charset::Utf16Be, &["UTF-16BE", "UTF_16BE", "ISO-10646-UCS-2", "X-UTF-16BE", "UnicodeBigUnmarked"]),
    (Charset::Utf16Le, &["UTF-16LE", "UTF_16LE", "X-UTF-16LE", "UnicodeLittleUnmarked"]),
    (Charset::Utf32, &["UTF-32", "UTF_32", "UTF32", "ISO-10646-UCS-4"]),
    (Charset::Utf32Be, &["UTF-32BE", "UTF_32BE", "X-UTF-32BE"]),
    (Charset::Utf32Le, &["UTF-32LE", "UTF_32LE", "X-UTF-32LE"]),
    (Charset::Latin1, &[
        "ISO-8859-1", "iso-ir-100", "ISO_8859-1", "latin1", "l1", "IBM819", "cp819", "csISOLatin1", "819", "IBM-819",
        "ISO8859_1", "ISO_8859-1:1987", "ISO_8859_1", "8859_1", "ISO8859-1",
    ]),
    (Charset::Ascii, &[
        "US-ASCII", "iso-ir-6", "ANSI_X3.4-1986", "ISO_646.irv:1991", "ASCII", "ISO646-US", "us", "IBM367", "cp367",
        "csASCII", "default", "646", "iso_646.irv:1983", "ANSI_X3.4-1968", "ascii7",
    ]),
];

/// Java's names of those charsets that browsers know too, the canonical one first.
#[rustfmt::skip]
const OTHERS: &[&[&str]] = &[
    &["Big5", "csBig5"],
    &["EUC-JP", "euc_jp", "eucjis", "eucjp", "Extended_UNIX_Code_Packed_Format_for_Japanese", "csEUCPkdFmtjapanese", "x-euc-jp", "x-eucjp"],
    &["EUC-KR", "ksc5601", "euckr", "ks_c_5601-1987", "ksc5601-1987", "ksc5601_1987", "ksc_5601", "csEUCKR", "5601"],
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
    &["ISO-8859-16", "iso8859_16", "8859_16", "iso-ir-226", "ISO_8859-16", "ISO_8859-16:2001", "ISO8859-16", "latin10", "l10", "csISO885916"],
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
    &["x-windows-950", "ms950", "windows-950"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_has_javas_names_in_any_case() {
        assert_eq!(Charset::find("utf8"), Some(Charset::Utf8));
        assert_eq!(Charset::find("LATIN1"), Some(Charset::Latin1));
        assert_eq!(Charset::find("CP1252"), Some(Charset::Other("windows-1252")));
        assert_eq!(Charset::find("nope"), None);
        assert_eq!(Charset::find(""), None);
    }
}
