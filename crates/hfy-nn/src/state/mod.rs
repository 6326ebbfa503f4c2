//! Weights as files: safetensors under the names of `hfy.torch.nn`.

mod names;
mod tensors;
mod walk;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use burn::module::Module;

pub use tensors::Tensors;
pub(crate) use walk::parameters;

use crate::error::{Error, Result};

/// The weights of a module, under the names that the state dict of the same module in `hfy.torch.nn` has.
///
/// ```
/// use burn::tensor::Device;
/// use hfy_nn::layers::{HopfieldConfig, HopfieldPooling};
/// use hfy_nn::{Random, state};
///
/// let pooling = HopfieldPooling::new(&HopfieldConfig::new(4), 2, true, &mut Random::new(0, 0), &Device::flex())?;
/// let tensors = state::of(&pooling);
/// let names: Vec<&str> = tensors.names().collect();
/// assert!(names.contains(&"pooling_weights") && names.contains(&"hopfield.association_core.in_proj_weight"));
/// # Ok::<(), hfy_nn::Error>(())
/// ```
pub fn of<M: Module>(module: &M) -> Tensors {
    names::to_torch(parameters(module))
}

/// The module with these weights. Every weight must be there, with its shape, and no other.
pub fn load<M: Module>(module: M, tensors: Tensors) -> Result<M> {
    let wrong = |rule: String| Error::argument("state", "tensors", rule);
    let mut tensors = names::from_torch(&parameters(&module), tensors).map_err(wrong)?;
    tensors.load_into(module, "", false).map_err(wrong)
}

/// Writes the weights of a module to a safetensors file, whole or not at all, with notes.
pub fn save<M: Module>(module: &M, path: &Path, notes: &[(&str, String)]) -> Result<()> {
    let mut tensors = of(module);
    notes.iter().for_each(|(name, text)| tensors.note(name, text.clone()));
    write_whole(path, &tensors.to_bytes()?)
}

/// Reads a safetensors file.
pub fn read(path: &Path) -> Result<Tensors> {
    let wrong = |rule: String| Error::File { path: path.to_owned(), rule };
    let bytes = fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    Tensors::from_bytes(&bytes).map_err(wrong)
}

/// Writes a file beside its place and moves it there, so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut builder = tempfile::Builder::new();
        // As any other new file, and not for its owner alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)
    };
    write()
        .map(drop)
        .map_err(|error| Error::File { path: path.to_owned(), rule: format!("cannot be written: {error}") })
}
