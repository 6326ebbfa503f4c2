//! Writes a few small valid files to a folder, for the fuzzer to start from: each with its checksums, and with their
//! keys changed, so that damage reaches the checks behind them.

use std::io::Cursor;
use std::path::PathBuf;

use half::{bf16, f16};
use hfy_store::{Info, Memory, Storable, Texts};
use ndarray::Array2;
use serde_json::json;

fn seed<T: Storable>(value: T, full: bool) -> hfy_store::Result<Vec<u8>> {
    let memory = Memory::temporary(T::DTYPE, 3)?;
    let mut texts = Texts::default();
    if full {
        texts.labels = vec![None, Some("one".into()), None, None];
        texts.metadata = vec![None, None, Some(json!({"two": [2, null]})), None];
        memory.set_info(Info { name: Some("seed".into()), ..Info::default() })?;
    }
    memory.add(Array2::from_elem((4, 3), value).view(), &texts)?;
    memory.remove(&[0])?;
    let mut file = Cursor::new(Vec::new());
    memory.snapshot()?.write_to(&mut file)?;
    Ok(file.into_inner())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give a folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    for full in [false, true] {
        let (half, brief) = (f16::from_f32(1.5), bf16::from_f32(1.5));
        let seeds = [
            ("f32", seed(1.5f32, full)),
            ("f64", seed(1.5f64, full)),
            ("f16", seed(half, full)),
            ("bf16", seed(brief, full)),
        ];
        for (name, file) in seeds {
            let mut file = file?;
            std::fs::write(folder.join(format!("{name}-{full}")), &file)?;
            let key = b"\"checksum.";
            for at in 0..file.len() - key.len() {
                if file[at..].starts_with(key) {
                    file[at + 4] = b'x';
                }
            }
            std::fs::write(folder.join(format!("{name}-{full}-unchecked")), &file)?;
        }
    }
    Ok(())
}
