//! The few operations on files that durability rests on, so that tests can make each of them fail.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::Path;

/// A file that is being written.
pub trait DiskFile: Write + Seek + Send {
    /// Forces everything written so far to the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// Where segments are written. [`SystemDisk`] is the real one; a test may give another that fails on purpose.
pub trait Disk: Debug + Send + Sync {
    /// A new file, or an emptied one, to write to.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Forces the names in a folder to the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDisk;

impl DiskFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Disk for SystemDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().write(true).create(true).truncate(true).open(path)?))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // On other systems a folder cannot be opened, and its names are all there is.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}
