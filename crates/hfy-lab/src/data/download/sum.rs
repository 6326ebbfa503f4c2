use std::io::Read;

use md5::Md5;
use sha2::{Digest, Sha256};

use super::super::Checksum;

/// The size of everything that is read, and its sum of the kind of `like`. `each` hears the size so far and may end it
/// with an error.
pub(super) fn of<E: From<std::io::Error>>(
    from: impl Read,
    like: Option<Checksum>,
    each: impl FnMut(u64) -> Result<(), E>,
) -> Result<(u64, Option<Checksum>), E> {
    match like {
        None => read(from, |_| (), each).map(|size| (size, None)),
        Some(Checksum::Md5(_)) => {
            let mut hasher = Md5::new();
            let size = read(from, |block| hasher.update(block), each)?;
            Ok((size, Some(Checksum::Md5(hasher.finalize().into()))))
        }
        Some(Checksum::Sha256(_)) => {
            let mut hasher = Sha256::new();
            let size = read(from, |block| hasher.update(block), each)?;
            Ok((size, Some(Checksum::Sha256(hasher.finalize().into()))))
        }
    }
}

fn read<E: From<std::io::Error>>(
    mut from: impl Read,
    mut add: impl FnMut(&[u8]),
    mut each: impl FnMut(u64) -> Result<(), E>,
) -> Result<u64, E> {
    let mut block = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        let count = match from.read(&mut block) {
            Ok(0) => return Ok(size),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        add(&block[..count]);
        size += count as u64;
        each(size)?;
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::data::Checksum;

    #[test]
    fn known_sums() {
        let md5 = Checksum::md5("900150983cd24fb0d6963f7d28e17f72");
        let sha256 = Checksum::sha256("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let sum = |like| of::<std::io::Error>(&b"abc"[..], like, |_| Ok(())).unwrap();
        assert_eq!((sum(Some(md5)), sum(Some(sha256)), sum(None)), ((3, Some(md5)), (3, Some(sha256)), (3, None)));
    }
}
