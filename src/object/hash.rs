use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh64::xxh64;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 13;

/// XXH64 (seed 0) of some bytes, written as 13 upper-case Crockford Base32
/// characters: the 64-bit value shifted left by one, most significant bits
/// first, so the one pad bit is the least significant.
///
/// Parsing takes any case; a `Hash` that exists is always safe as a file name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; LENGTH]);

/// What was given is not 13 Crockford Base32 characters with a clear pad bit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a hash: expected 13 characters of 0-9 A-Z without I, L, O and U")]
pub struct InvalidHash(pub String);

impl Hash {
    /// The hash of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Hash {
        Hash::from_u64(xxh64(bytes.as_ref(), 0))
    }

    /// The hash whose 64-bit value is `value`.
    pub fn from_u64(value: u64) -> Hash {
        let shifted = u128::from(value) << 1;
        let mut text = [0; LENGTH];
        for (i, c) in text.iter_mut().enumerate() {
            *c = ALPHABET[(shifted >> (5 * (LENGTH - 1 - i))) as usize & 31];
        }
        Hash(text)
    }

    /// The 13 upper-case characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

impl FromStr for Hash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Hash, InvalidHash> {
        let invalid = || InvalidHash(text.to_owned());
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| invalid())?;
        let upper = bytes.map(|b| b.to_ascii_uppercase());
        let mut last = 0;
        for c in upper {
            last = ALPHABET.iter().position(|a| *a == c).ok_or_else(invalid)?;
        }
        if last & 1 == 1 {
            return Err(invalid());
        }
        Ok(Hash(upper))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
