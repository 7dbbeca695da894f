//! What a URI of a file stands for: bytes in the URI itself, or a file beside this one.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Exporters leave the padding away, or escape it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The bytes of a data URI; `None` if it is another kind of URI.
///
/// `data:;base64,AAE=`, `DATA:;BASE64,AAE`, `data:;base64,AAE%3D` and `data:,%00%01` all are the
/// bytes 0 and 1.
pub fn data(uri: &str) -> Option<Result<Vec<u8>, String>> {
    let scheme = uri.get(..5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let Some((kind, data)) = uri[5..].split_once(',') else {
        return Some(Err("its data URI has no comma before the data".into()));
    };
    let mut bytes = unescape(data);
    let is_base64 = kind
        .rsplit(';')
        .next()
        .is_some_and(|last| last.len() < kind.len() && last.trim().eq_ignore_ascii_case("base64"));
    if !is_base64 {
        return Some(Ok(bytes));
    }
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    Some(BASE64.decode(bytes).map_err(|error| format!("its data URI: {error}")))
}

/// The bytes that `%20` and the like stand for.
pub fn unescape(uri: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    while let Some((&byte, after)) = rest.split_first() {
        let value = match (byte, after) {
            (b'%', &[high, low, ..]) => digit(high).zip(digit(low)),
            _ => None,
        };
        bytes.push(value.map_or(byte, |(high, low)| (16 * high + low) as u8));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_uri_may_be_written_in_many_ways() {
        let forms = [
            "data:;base64,AAH+",
            "DATA:application/octet-stream;BASE64,AAH+",
            "data:text/plain;charset=utf-8;base64,AAH%2B",
            "data:;base64,AA H%2b\n",
            "data:,%00%01%fe",
        ];
        for form in forms {
            assert_eq!(data(form), Some(Ok(vec![0, 1, 0xfe])), "{form}");
        }
        for form in ["data:;base64,AAE=", "data:;base64,AAE", "data:;base64,AAE%3D"] {
            assert_eq!(data(form), Some(Ok(vec![0, 1])), "{form}");
        }
        assert_eq!(data("data:,base64,%2C"), Some(Ok(b"base64,,".to_vec())));
        assert_eq!(data("data.bin"), None);
        assert!(data("data:;base64").unwrap().is_err());
        assert!(data("data:;base64,@@").unwrap().is_err());
    }

    #[test]
    fn what_is_no_escape_stays() {
        assert_eq!(unescape("a%20b%"), b"a b%");
        assert_eq!(unescape("100%zz%+1"), b"100%zz%+1");
    }
}
