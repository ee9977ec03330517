//! Amounts of memory as people write them.

/// Least that a bundle can be given: V8 and Node's modules need some of it.
const LEAST: u64 = 32 << 20;
/// Most that makes sense for one isolate.
const MOST: u64 = 64 << 30;

/// A text that is no amount of memory for a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an amount of memory from 32MB to 64GB: write it like 256MB or 2GB")]
pub struct InvalidSize {
    /// What was written.
    pub text: String,
}

/// Bytes from a text such as `256MB`, `2GB` or `268435456`. A unit is a power of
/// 1024, upper or lower case, with or without `B` or `iB`.
pub fn parse_size(text: &str) -> Result<u64, InvalidSize> {
    let invalid = || InvalidSize { text: text.to_owned() };
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(invalid()),
    };
    let number: u64 = number.parse().map_err(|_| invalid())?;
    let bytes = number.checked_mul(1 << shift).ok_or_else(invalid)?;
    (LEAST..=MOST).contains(&bytes).then_some(bytes).ok_or_else(invalid)
}
