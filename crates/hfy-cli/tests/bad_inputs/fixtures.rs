//! Files that are damaged, hostile or of the wrong kind, by short names.

use std::io::Cursor;

use hfy_io::npz::Archive;
use hfy_io::picture::{Kind, write};
use hfy_io::{Form, safetensors};
use ndarray::{Array2, array};

/// An npy file with this header and these data.
pub(crate) fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{header:<117}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn described(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"), data)
}

fn floats(shape: &str, values: &[f32]) -> Vec<u8> {
    described("'<f4'", shape, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

fn tensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn picture(kind: Kind, (height, width): (usize, usize)) -> Vec<u8> {
    let greys: Vec<f64> = (0..height * width).map(|place| (place % 17) as f64 / 8.0 - 1.0).collect();
    let mut bytes = Vec::new();
    write(&mut bytes, kind, &Form::grey(height, width), &greys).expect("a picture in memory");
    bytes
}

/// The first part of a file.
fn cut(bytes: Vec<u8>) -> Vec<u8> {
    bytes[..bytes.len() * 2 / 3].to_vec()
}

/// One byte in the middle is another.
fn bent(mut bytes: Vec<u8>) -> Vec<u8> {
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    bytes
}

/// A PNG picture whose header says that it is of this size.
fn sized_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = picture(Kind::Png, (4, 4));
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// The checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

fn archive(names: &[&str]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut archive = Archive::new(&mut file);
    for name in names {
        archive.matrix(name, array![[1.0, 2.0], [3.0, 4.0]].view()).expect("an archive in memory");
    }
    archive.finish().expect("an archive in memory");
    file.into_inner()
}

/// The bytes of a fixture; `None` for a name that is none.
pub(crate) fn bytes(name: &str) -> Option<Vec<u8>> {
    let four = &[1.0, 2.0, 3.0, 4.0];
    Some(match name {
        "p.csv" => b"3,0,0,0\n0,3,0,0\n0,0,3,0\n".to_vec(),
        "q.csv" => b"2.5,0.2,0,0\n0.1,2.8,0.3,-0.2\n".to_vec(),
        "p.npy" => floats("(1, 4)", four),
        "p.npz" => archive(&["only"]),
        "p.safetensors" => {
            let mut bytes = Vec::new();
            safetensors::write(&mut bytes, "x", Array2::<f32>::ones((1, 4)).view()).expect("a file in memory");
            bytes
        }
        "pic.png" => picture(Kind::Png, (4, 4)),
        "empty.csv" | "empty.npy" | "empty.npz" | "empty.safetensors" | "empty.png" | "empty.jpg" | "empty.hfy"
        | "empty.tiff" | "empty.webp" | "empty.bmp" | "empty.txt" | "empty" => Vec::new(),

        "cut.npy" => cut(floats("(1, 4)", four)),
        "short.npy" => floats("(2, 4)", four),
        "long.npy" => floats("(1, 3)", four),
        "magic.npy" => b"\x93NUMPI\x01\x00v\x00".to_vec(),
        "version.npy" => b"\x93NUMPY\x07\x00v\x00".to_vec(),
        "header-cut.npy" => floats("(1, 4)", four)[..40].to_vec(),
        "header-huge.npy" => b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'".to_vec(),
        "header-empty.npy" => npy("", &[0; 16]),
        "header-binary.npy" => npy("\u{1}\u{2}\u{3}", &[0; 16]),
        "header-brace.npy" => npy("{'descr': ", &[]),
        "no-descr.npy" => npy("{'fortran_order': False, 'shape': (1, 4), }", &[0; 16]),
        "no-shape.npy" => npy("{'descr': '<f4', 'fortran_order': False, }", &[0; 16]),
        "no-order.npy" => npy("{'descr': '<f4', 'shape': (1, 4), }", &[0; 16]),
        "order-text.npy" => npy("{'descr': '<f4', 'fortran_order': 'no', 'shape': (1, 4), }", &[0; 16]),
        "shape-negative.npy" => floats("(-1, 4)", four),
        "shape-text.npy" => floats("('a', 4)", four),
        "shape-float.npy" => floats("(1.5, 4)", four),
        "shape-list.npy" => floats("[1, 4]", four),
        "shape-open.npy" => floats("(1, 4", four),
        "shape-huge.npy" => floats("(4000000000, 4000000000)", four),
        "shape-overflow.npy" => floats("(9223372036854775807, 9)", four),
        "shape-longer.npy" => floats("(99999999999999999999999, 1)", four),
        "shape-zero-overflow.npy" => floats("(0, 9223372036854775807, 9)", &[]),
        "axes.npy" => floats(&format!("({})", "1, ".repeat(20)), &[1.0]),
        "rows-zero.npy" => floats("(0, 4)", &[]),
        "columns-zero.npy" => floats("(4, 0)", &[]),
        "number.npy" => floats("()", &[7.0]),
        "complex.npy" => described("'<c8'", "(1, 1)", &[0; 8]),
        "object.npy" => described("'|O'", "(1, 1)", &[0; 8]),
        "string.npy" => described("'<U3'", "(1, 1)", &[0; 12]),
        "struct.npy" => described("[('a', '<f4')]", "(1,)", &[0; 4]),
        "long-double.npy" => described("'<f16'", "(1, 1)", &[0; 16]),
        "date.npy" => described("'<M8[s]'", "(1, 1)", &[0; 8]),
        "order-odd.npy" => described("'!f4'", "(1, 1)", &[0; 4]),
        "type-empty.npy" => described("''", "(1, 1)", &[0; 4]),
        "type-letter.npy" => described("'é4'", "(1, 1)", &[0; 4]),
        "nan.npy" => floats("(1, 4)", &[1.0, f32::NAN, 3.0, 4.0]),
        "inf.npy" => floats("(1, 4)", &[1.0, 2.0, f32::INFINITY, 4.0]),
        "minus-inf.npy" => floats("(1, 4)", &[1.0, f32::NEG_INFINITY, 3.0, 4.0]),
        "wide.npy" => floats("(1, 5)", &[1.0; 5]),
        "large.npy" => described("'<f8'", "(1, 4)", &[1e300f64, 0.0, 0.0, 0.0].map(f64::to_le_bytes).concat()),
        "text.npy" => b"1,2,3,4\n".to_vec(),
        "cube.npy" => floats("(2, 3, 5)", &[0.5; 30]),

        "cut.npz" => cut(archive(&["first", "second"])),
        "bent.npz" => bent(archive(&["only"])),
        "two.npz" => archive(&["first", "second"]),
        "none.npz" => archive(&[]),
        "text.npz" => b"PK no archive".to_vec(),
        "head.npz" => b"PK\x03\x04".to_vec(),

        "cut.safetensors" => cut(bytes("p.safetensors")?),
        "huge.safetensors" => b"\xff\xff\xff\xff\xff\xff\xff\x7f{}".to_vec(),
        "head.safetensors" => b"\x08\x00".to_vec(),
        "json.safetensors" => tensors("{\"x\": ", &[]),
        "none.safetensors" => tensors("{}", &[]),
        "offsets.safetensors" => {
            tensors("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,4],\"data_offsets\":[0,99]}}", &[0; 16])
        }
        "backwards.safetensors" => {
            tensors("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,4],\"data_offsets\":[16,0]}}", &[0; 16])
        }
        "overflow.safetensors" => {
            tensors("{\"x\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,9],\"data_offsets\":[0,16]}}", &[0; 16])
        }
        "type.safetensors" => tensors("{\"x\":{\"dtype\":\"F99\",\"shape\":[1,1],\"data_offsets\":[0,4]}}", &[0; 4]),
        "f8.safetensors" => tensors("{\"x\":{\"dtype\":\"F8_E4M3\",\"shape\":[1,1],\"data_offsets\":[0,1]}}", &[0]),
        "shape.safetensors" => tensors("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,3],\"data_offsets\":[0,16]}}", &[0; 16]),
        "number.safetensors" => tensors("{\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", &[0; 4]),
        "memory.safetensors" => tensors("{\"__metadata__\":{\"format\":\"hfy-memory\"}}", &[]),

        "cut.png" => cut(picture(Kind::Png, (40, 40))),
        "bent.png" => bent(picture(Kind::Png, (40, 40))),
        "small.png" => picture(Kind::Png, (3, 3)),
        "head.png" => b"\x89PNG\r\n\x1a\n".to_vec(),
        "zero.png" => sized_png(0, 4),
        "wide.png" => sized_png(100_000, 1),
        "bomb.png" => sized_png(16_000, 16_000),
        "huge.png" => sized_png(u32::MAX, u32::MAX),
        "short.png" => sized_png(4, 400),
        "text.png" => b"no picture".to_vec(),
        "gif.png" => b"GIF89a\x01\x00\x01\x00\x00\x00\x00;".to_vec(),
        "cut.jpg" => cut(picture(Kind::Jpeg, (40, 40))),
        "head.jpg" => b"\xff\xd8\xff\xe0".to_vec(),
        "cut.bmp" => cut(picture(Kind::Bmp, (40, 40))),
        "cut.webp" => cut(picture(Kind::Webp, (40, 40))),
        "cut.tiff" => cut(picture(Kind::Tiff, (40, 40))),
        "head.tiff" => b"II*\x00\xff\xff\xff\xff".to_vec(),
        _ => return None,
    })
}
