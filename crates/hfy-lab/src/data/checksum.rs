use std::fmt;

/// The checksum of a file, of the kind in which it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// Finds damage; does not stop someone who wants to deceive.
    Md5([u8; 16]),
    /// Finds both.
    Sha256([u8; 32]),
}

impl Checksum {
    /// From 32 hexadecimal digits.
    ///
    /// # Panics
    ///
    /// If these are no such digits. It is meant for constants, where that is an error of the compiler.
    pub const fn md5(digits: &str) -> Self {
        Checksum::Md5(bytes(digits))
    }

    /// From 64 hexadecimal digits.
    ///
    /// # Panics
    ///
    /// As [`md5`](Self::md5).
    pub const fn sha256(digits: &str) -> Self {
        Checksum::Sha256(bytes(digits))
    }
}

const fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N, "a checksum must have two digits a byte");
    let mut bytes = [0; N];
    let mut at = 0;
    while at < N {
        bytes[at] = 16 * digit(digits[2 * at]) + digit(digits[2 * at + 1]);
        at += 1;
    }
    bytes
}

const fn digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("a checksum must be of the digits 0 to 9 and a to f"),
    }
}

/// `md5 d53e105e...`, the kind and the digits.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, bytes) = match self {
            Checksum::Md5(bytes) => ("md5", &bytes[..]),
            Checksum::Sha256(bytes) => ("sha256", &bytes[..]),
        };
        write!(f, "{kind} ")?;
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    #[test]
    fn digits_there_and_back() {
        let digits = "d53e105ee54ea40749a09fcbcd1e9432";
        assert_eq!(Checksum::md5(digits).to_string(), format!("md5 {digits}"));
        let digits = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db";
        assert_eq!(Checksum::sha256(digits).to_string(), format!("sha256 {digits}"));
    }

    #[test]
    #[should_panic(expected = "two digits a byte")]
    fn short() {
        Checksum::sha256("ba89");
    }
}
