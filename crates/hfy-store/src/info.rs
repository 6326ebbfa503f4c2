//! What is known of a memory as a whole.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// Texts about the memory as a whole. Nothing here changes how patterns are read.
///
/// ```
/// use hfy_store::{Dtype, Info, Memory};
///
/// let memory = Memory::temporary(Dtype::F32, 4)?;
/// let info = Info { name: Some("glyphs".into()), omega: Some("entmax:1.5".into()), ..Info::default() };
/// memory.set_info(info)?;
/// assert_eq!(memory.info()?.omega.as_deref(), Some("entmax:1.5"));
/// # Ok::<(), hfy_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// What the memory is called.
    pub name: Option<String>,
    /// The program that wrote the file; this crate puts its own name there if nothing else is given.
    pub created_by: Option<String>,
    /// The separation map to use unless told otherwise, as text.
    pub omega: Option<String>,
    /// The post-transformation to use unless told otherwise, as text.
    pub psi: Option<String>,
    /// The inverse temperature to use unless told otherwise, as text.
    pub beta: Option<String>,
    /// Anything else, under names that the format does not use itself.
    pub extra: BTreeMap<String, String>,
}

/// Names that belong to the format.
fn reserved(key: &str) -> bool {
    let own = ["format", "version", "next_id", "name", "created_by", "omega", "psi", "beta", "blocks"];
    own.contains(&key) || key.starts_with("checksum.")
}

impl Info {
    fn fields(&mut self) -> [(&'static str, &mut Option<String>); 5] {
        [
            ("name", &mut self.name),
            ("created_by", &mut self.created_by),
            ("omega", &mut self.omega),
            ("psi", &mut self.psi),
            ("beta", &mut self.beta),
        ]
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.extra.keys().find(|key| reserved(key)) {
            Some(key) => Err(Error::argument("info.extra", format!("{key:?}"), "this name belongs to the format")),
            None => Ok(()),
        }
    }

    /// Adds what is known to the header's map.
    pub(crate) fn write(mut self, header: &mut BTreeMap<String, String>) {
        self.created_by.get_or_insert_with(|| concat!("hfy-store ", env!("CARGO_PKG_VERSION")).to_owned());
        for (name, value) in self.fields() {
            header.extend(value.take().map(|value| (name.to_owned(), value)));
        }
        header.extend(self.extra);
    }

    /// Takes what is known out of the header's map.
    pub(crate) fn read(header: &mut BTreeMap<String, String>) -> Self {
        let mut info = Info::default();
        for (name, value) in info.fields() {
            *value = header.remove(name);
        }
        info.extra = std::mem::take(header).into_iter().filter(|(key, _)| !reserved(key)).collect();
        info
    }
}
