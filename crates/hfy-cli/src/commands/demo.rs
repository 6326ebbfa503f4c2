//! `hfy demo`
use crate::cli::Common;
use crate::error::Result;
use clap::Args;
#[derive(Debug, Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_: &Arguments, _: Common) -> Result<()> {
    let glyphs = crate::glyphs::all();
    let (across, s) = (8, crate::glyphs::SIDE);
    let down = glyphs.len().div_ceil(across);
    let zoom = 4;
    let (w, h) = (across * (s + 4) * zoom, down * (s + 4) * zoom);
    let mut sheet = vec![-0.6; w * h];
    for (i, g) in glyphs.iter().enumerate() {
        let (x0, y0) = ((i % across) * (s + 4) * zoom, (i / across) * (s + 4) * zoom);
        for y in 0..s * zoom {
            for x in 0..s * zoom {
                sheet[(y0 + y + 2 * zoom) * w + x0 + x + 2 * zoom] = g.greys[y / zoom * s + x / zoom];
            }
        }
    }
    crate::io::Output::new("/tmp/sheet.png", true)?.write_picture((h, w), &sheet)
}
