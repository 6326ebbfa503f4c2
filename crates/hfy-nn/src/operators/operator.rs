//! How a differentiable function of slices becomes an operator of Burn.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Tensor, TensorData};

use crate::error::{Error, Result};

/// A contiguous tensor of single precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) shape: &'a [usize],
}

/// The output of an operator, and what its backward pass needs beyond the inputs.
pub(crate) struct Forward<S> {
    pub(crate) output: Vec<f32>,
    pub(crate) shape: Vec<usize>,
    pub(crate) saved: S,
}

/// A gradient for each input; `None` where it is not wanted or zero.
pub(crate) type InputGradients = Vec<Option<Vec<f32>>>;

/// A differentiable function of some tensors, as plain Rust on slices.
pub(crate) trait Operator: Debug + Send + Sync + 'static {
    /// What the backward pass needs beyond the inputs.
    type Saved: Send + Sync + 'static;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Self::Saved>>;

    /// The gradients of the inputs from that of the output.
    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &Self::Saved,
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients>;
}

/// An operator whose `Saved` is erased, so that one custom operator of Burn serves all.
trait Erased: Debug + Send + Sync {
    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Box<dyn Any + Send + Sync>>>;
    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &(dyn Any + Send + Sync),
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients>;
}

impl<O: Operator> Erased for O {
    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Box<dyn Any + Send + Sync>>> {
        let Forward { output, shape, saved } = Operator::forward(self, inputs)?;
        Ok(Forward { output, shape, saved: Box::new(saved) })
    }

    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &(dyn Any + Send + Sync),
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients> {
        let saved = saved.downcast_ref::<O::Saved>().expect("an operator gets back what it saved");
        Operator::backward(self, inputs, saved, gradient, wanted)
    }
}

/// One application of an operator. Operators of Burn cannot fail, so an error waits here for the caller.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    operator: Arc<dyn Erased>,
    failure: Arc<OnceLock<Error>>,
}

type FlexTensor = FloatTensor<Flex>;

fn tensor(data: Vec<f32>, shape: Vec<usize>) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(data, shape))
}

/// Hands the slices of contiguous tensors to `work`.
fn with_views<R>(inputs: &[FlexTensor], work: impl FnOnce(&[View<'_>]) -> Result<R>) -> Result<R> {
    work(&inputs.iter().map(view).collect::<Result<Vec<_>>>()?)
}

fn view(input: &FlexTensor) -> Result<View<'_>> {
    let wrong = || Error::argument("tensor", format!("{:?}", input.dtype()), "layers compute in single precision, F32");
    Ok(View { data: input.as_slice::<f32>().ok_or_else(wrong)?, shape: input.layout().shape() })
}

/// Applications whose output has not been used for a gradient yet keep what the backward pass needs.
#[derive(Clone)]
struct State {
    call: Call,
    inputs: Vec<FlexTensor>,
    saved: Arc<dyn Any + Send + Sync>,
}

impl Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("call", &self.call).finish_non_exhaustive()
    }
}

impl Call {
    fn run(&self, inputs: &[FlexTensor]) -> (FlexTensor, Arc<dyn Any + Send + Sync>) {
        match with_views(inputs, |views| self.operator.forward(views)) {
            Ok(Forward { output, shape, saved }) => (tensor(output, shape), Arc::from(saved)),
            Err(error) => {
                let _ = self.failure.set(error);
                (tensor(Vec::new(), vec![0]), Arc::new(()))
            }
        }
    }

    fn track<C: CheckpointStrategy, const N: usize>(self, inputs: [Tracked; N]) -> Tracked {
        let nodes = inputs.each_ref().map(Tracked::node);
        let inputs: Vec<FlexTensor> = inputs.into_iter().map(|input| input.into_primitive().to_contiguous()).collect();
        let (output, saved) = self.run(&inputs);
        match Step::<N>.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(State { call: self, inputs, saved }, output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }
}

type Tracked = FloatTensor<Autodiff<Flex>>;

#[derive(Debug)]
struct Step<const N: usize>;

impl<const N: usize> Backward<Flex, N> for Step<N> {
    type State = State;

    fn backward(self, ops: Ops<State, N>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<Flex>(&ops.node).to_contiguous();
        let State { call, inputs, saved } = ops.state;
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let gradient = gradient.as_slice::<f32>().expect("a gradient is contiguous, in single precision");
        let pulled = with_views(&inputs, |views| call.operator.backward(views, saved.as_ref(), gradient, &wanted));
        // An upstream gradient that is not finite makes every gradient NaN, which the optimiser reports.
        let pulled = pulled.unwrap_or_else(|_| inputs.iter().map(|x| Some(vec![f32::NAN; count(x)])).collect());
        for ((parent, input), gradient) in ops.parents.into_iter().zip(&inputs).zip(pulled) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                grads.register::<Flex>(parent.id, tensor(gradient, input.layout().shape().to_vec()));
            }
        }
    }
}

fn count(tensor: &FlexTensor) -> usize {
    tensor.layout().num_elements()
}

/// Applies an operator to tensors that may carry gradients.
macro_rules! arities {
    ($($name:ident($($input:ident),*)),*) => {
        #[allow(clippy::too_many_arguments)] // one for each input of an operator
        #[backend_extension(Autodiff, Flex)]
        pub(crate) trait Calls: Backend {
            $(fn $name(call: Call, $($input: FloatTensor<Self>),*) -> FloatTensor<Self>;)*
        }

        impl Calls for Flex {
            $(fn $name(call: Call, $($input: FloatTensor<Self>),*) -> FloatTensor<Self> {
                call.run(&[$($input.to_contiguous()),*]).0
            })*
        }

        impl<C: CheckpointStrategy> Calls for Autodiff<Flex, C> {
            $(fn $name(call: Call, $($input: FloatTensor<Self>),*) -> FloatTensor<Self> {
                call.track::<C, _>([$($input),*])
            })*
        }
    };
}

arities!(call1(a), call2(a, b), call3(a, b, c), call4(a, b, c, d), call7(a, b, c, d, e, f, g));

/// A tensor of any rank.
#[derive(Debug, Clone)]
pub(crate) struct Input(burn::backend::DispatchTensor);

impl<const D: usize> From<Tensor<D>> for Input {
    fn from(tensor: Tensor<D>) -> Self {
        Input(tensor.into_dispatch())
    }
}

const INPUTS: &str = "an operator has one to four inputs, or seven";

/// The output of an operator on these inputs.
pub(crate) fn apply<const N: usize, const D: usize>(operator: impl Operator, inputs: [Input; N]) -> Result<Tensor<D>> {
    let failure = Arc::new(OnceLock::new());
    let call = Call { operator: Arc::new(operator), failure: Arc::clone(&failure) };
    let mut inputs = inputs.into_iter().map(|Input(tensor)| tensor);
    let mut next = || inputs.next().expect(INPUTS);
    let output = match N {
        1 => <Dispatch as Calls>::call1(call, next()),
        2 => <Dispatch as Calls>::call2(call, next(), next()),
        3 => <Dispatch as Calls>::call3(call, next(), next(), next()),
        4 => <Dispatch as Calls>::call4(call, next(), next(), next(), next()),
        7 => <Dispatch as Calls>::call7(call, next(), next(), next(), next(), next(), next(), next()),
        _ => unreachable!("{INPUTS}"),
    };
    match failure.get() {
        Some(error) => Err(error.clone()),
        None => Ok(Tensor::from_dispatch(output)),
    }
}
