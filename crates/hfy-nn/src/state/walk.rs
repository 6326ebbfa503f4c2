//! The parameters of a module by their paths.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Tensor, TensorData};

use super::Tensors;

/// A parameter of a module.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameter {
    /// The names of the fields on the way to it, with dots between them.
    pub(crate) path: String,
    pub(crate) id: u64,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

/// All parameters, in the order of the fields.
pub(crate) fn parameters<M: Module>(module: &M) -> Vec<Parameter> {
    let mut walk = Walk::default();
    module.visit(&mut walk);
    walk.found
}

#[derive(Default)]
struct Walk {
    names: Vec<String>,
    found: Vec<Parameter>,
}

impl ModuleVisitor for Walk {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.names.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.names.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let shape = tensor.dims().to_vec();
        let values = tensor.into_data().try_to_vec().expect("layers compute in single precision");
        self.found.push(Parameter { path: self.names.join("."), id: param.id.val(), shape, values });
    }
}

impl Tensors {
    /// Puts the tensors `prefix` + path into a module; `ids` are noted under `id.` + path. Every tensor with the prefix
    /// is used.
    pub(crate) fn load_into<M: Module>(&mut self, module: M, prefix: &str, ids: bool) -> Result<M, String> {
        let mut load = Load { names: Vec::new(), from: self, prefix, ids, wrong: None };
        let module = module.map(&mut load);
        if let Some(wrong) = load.wrong {
            return Err(wrong);
        }
        match self.names().find(|name| name.starts_with(prefix)) {
            Some(name) => Err(format!("has the tensor {name}, for which the model has no place")),
            None => Ok(module),
        }
    }
}

struct Load<'a> {
    names: Vec<String>,
    from: &'a mut Tensors,
    prefix: &'a str,
    ids: bool,
    wrong: Option<String>,
}

impl ModuleMapper for Load<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.names.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.names.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let path = self.names.join(".");
        let (mut id, tensor, mapper) = param.consume();
        let (device, dims, learned) = (tensor.device(), tensor.dims(), tensor.is_require_grad());
        if self.ids {
            match self.from.noted(&format!("id.{path}")).and_then(|id| id.parse::<u64>().ok()) {
                Some(noted) => id = ParamId::from(noted),
                None => self.wrong = Some(format!("does not say the id of {path}")),
            }
        }
        let loaded = match self.from.take(&format!("{}{path}", self.prefix)) {
            Some((shape, values)) if shape == dims => Tensor::from_data(TensorData::new(values, dims), &device),
            Some((shape, _)) => {
                self.wrong = Some(format!("has {path} of shape {shape:?}, and the model has {dims:?}"));
                tensor
            }
            None => {
                self.wrong = Some(format!("has no tensor {path}"));
                tensor
            }
        };
        Param::from_mapped_value(id, loaded.set_require_grad(learned), mapper)
    }
}
