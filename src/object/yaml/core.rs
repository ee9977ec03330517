//! The core schema of YAML 1.2: what plain text means, and numbers as text.

use serde_json::{Number, Value};

/// Writes a number as JavaScript does, with the sign of a negative zero.
pub(super) fn write_number(out: &mut String, number: &Number) {
    let double = number.as_f64().unwrap_or(0.0);
    if double == 0.0 && double.is_sign_negative() {
        out.push_str("-0");
    } else {
        out.push_str(ryu_js::Buffer::new().format(double));
    }
}

/// A double as JSON: whole numbers up to 2^53 as integers, null where JSON has none.
pub(super) fn number(double: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let negative_zero = double == 0.0 && double.is_sign_negative();
    if double.trunc() == double && double.abs() <= EXACT && !negative_zero {
        return Value::from(double as i64);
    }
    Number::from_f64(double).map_or(Value::Null, Value::Number)
}

/// What plain text means where it is not a string.
pub(super) fn resolve(text: &str) -> Option<Value> {
    match text.as_bytes() {
        [] | b"~" | b"null" | b"Null" | b"NULL" => Some(Value::Null),
        b"true" | b"True" | b"TRUE" => Some(Value::Bool(true)),
        b"false" | b"False" | b"FALSE" => Some(Value::Bool(false)),
        [b'0'..=b'9' | b'-' | b'+' | b'.', ..] => double(text).map(number),
        _ => None,
    }
}

/// The number that plain text spells.
pub(super) fn double(text: &str) -> Option<f64> {
    if let Some(digits) = text.strip_prefix("0o") {
        return in_radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return in_radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    is_decimal(unsigned).then(|| text.parse().expect("Rust reads every decimal number"))
}

/// `digits`, `digits.digits?`, `.digits`, each with an exponent if need be.
fn is_decimal(unsigned: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    exponent_fits && mantissa_fits
}

/// Digits in base 8 or 16, to the nearest double.
fn in_radix(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    if let Ok(small) = u64::from_str_radix(digits.trim_start_matches('0'), radix) {
        let signed = digits.starts_with(['-', '+']);
        return (!signed).then_some(small as f64);
    }
    let step = f64::from(radix);
    digits.chars().try_fold(0.0, |sum, c| Some(sum * step + f64::from(c.to_digit(radix)?)))
}
