"""State dicts have the names and shapes of hflayers, so that its weights load."""

import copy
import inspect
import pickle

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch.nn import (  # noqa: E402
    Hopfield,
    HopfieldDecoderLayer,
    HopfieldEncoderLayer,
    HopfieldLayer,
    HopfieldPooling,
)
from nn_common import PLAIN, STATIC  # noqa: E402


def norms(stored=12, state=12, projection=12):
    names = {"stored_pattern": stored, "state_pattern": state, "pattern_projection": projection}
    return {f"norm_{name}.{part}": (size,) for name, size in names.items() for part in ("weight", "bias")}


def core(**shapes):
    return {f"association_core.{name.replace('__', '.')}": shape for name, shape in shapes.items()}


# What hflayers' constructor makes: three heads of depth 4 on inputs of depth 12, unless an argument says otherwise.
OUT = {"out_proj__weight": (12, 12), "out_proj__bias": (12,)}
JOINT = {"in_proj_weight": (36, 12), "in_proj_bias": (36,)}
VARIANTS = {
    "default": ({}, core(**JOINT, **OUT) | norms()),
    "hidden and output": (
        {"hidden_size": 5, "output_size": 7},
        core(in_proj_weight=(45, 12), in_proj_bias=(45,), out_proj__weight=(7, 15), out_proj__bias=(7,)) | norms(),
    ),
    "no bias": ({"input_bias": False}, core(in_proj_weight=(36, 12), out_proj__weight=(12, 12)) | norms()),
    "no out projection": ({"disable_out_projection": True}, core(**JOINT) | norms()),
    "no norms": (PLAIN, core(**JOINT, **OUT)),
    "norms without weights": (
        {f"normalize_{name}_affine": False for name in ("stored_pattern", "state_pattern", "pattern_projection")},
        core(**JOINT, **OUT),
    ),
    "separate by depth of the stored patterns": (
        {"stored_pattern_size": 9},
        core(q_proj_weight=(12, 12), k_proj_weight=(12, 9), v_proj_weight=(12, 12), in_proj_bias=(36,), **OUT)
        | norms(stored=9),
    ),
    "separate by depth of the projections": (
        {"pattern_projection_size": 9},
        core(q_proj_weight=(12, 12), k_proj_weight=(12, 12), v_proj_weight=(12, 9), in_proj_bias=(36,), **OUT)
        | norms(projection=9),
    ),
    "separate by pattern size": (
        {"pattern_size": 2},
        core(
            q_proj_weight=(12, 12),
            k_proj_weight=(12, 12),
            v_proj_weight=(6, 12),
            in_proj_bias=(30,),
            out_proj__weight=(12, 6),
            out_proj__bias=(12,),
        )
        | norms(),
    ),
    "connected": (
        {"pattern_projection_as_connected": True, "hidden_size": 5},
        core(
            q_proj_weight=(15, 12),
            k_proj_weight=(15, 12),
            v_proj_weight=(15, 15),
            in_proj_bias=(45,),
            out_proj__weight=(12, 15),
            out_proj__bias=(12,),
        )
        | norms(),
    ),
    "connected to static stored patterns": (
        {"pattern_projection_as_connected": True, "stored_pattern_as_static": True, "hidden_size": 12},
        core(
            q_proj_weight=(36, 12),
            v_proj_weight=(36, 12),
            in_proj_bias=(72,),
            out_proj__weight=(12, 36),
            out_proj__bias=(12,),
        )
        | norms(),
    ),
    "connected and static projections": (
        {"pattern_projection_as_connected": True, "pattern_projection_as_static": True},
        core(q_proj_weight=(12, 12), k_proj_weight=(12, 12), in_proj_bias=(36,), **OUT) | norms(),
    ),
    "static state": (
        {"state_pattern_as_static": True, "hidden_size": 12},
        core(in_proj_weight=(72, 12), in_proj_bias=(72,), out_proj__weight=(12, 36), out_proj__bias=(12,)) | norms(),
    ),
    "static stored": (
        {"stored_pattern_as_static": True, "hidden_size": 12},
        core(in_proj_weight=(72, 12), in_proj_bias=(72,), out_proj__weight=(12, 36), out_proj__bias=(12,)) | norms(),
    ),
    "static projection": (  # the bias keeps its part for the projection
        {"pattern_projection_as_static": True, "hidden_size": 12},
        core(in_proj_weight=(72, 12), in_proj_bias=(108,), out_proj__weight=(12, 36), out_proj__bias=(12,)) | norms(),
    ),
    "static projection, separate": (
        {"pattern_projection_as_static": True, "pattern_size": 12},
        core(
            q_proj_weight=(12, 12),
            k_proj_weight=(12, 12),
            in_proj_bias=(60,),
            out_proj__weight=(12, 36),
            out_proj__bias=(12,),
        )
        | norms(),
    ),
    "static state and stored": (
        {"state_pattern_as_static": True, "stored_pattern_as_static": True},
        core(in_proj_weight=(12, 12), in_proj_bias=(12,), **OUT) | norms(),
    ),
    "static but for the output": (
        {**STATIC, "hidden_size": 12},
        core(out_proj__weight=(12, 36), out_proj__bias=(12,)) | norms(),
    ),
    "static": ({**STATIC, "disable_out_projection": True}, norms()),
    "static without norms": ({**STATIC, **PLAIN, "disable_out_projection": True}, {}),
    "Hopfield space": ({"normalize_hopfield_space": True}, core(**JOINT, **OUT) | norms()),
    "Hopfield space with weights": (
        {"normalize_hopfield_space": True, "normalize_hopfield_space_affine": True, "hidden_size": 4},
        core(p_norm_weight=(4,), p_norm_bias=(4,), **JOINT, **OUT) | norms(),
    ),
    "bias pattern": (
        {"concat_bias_pattern": True},
        core(bias_k=(1, 1, 12), bias_v=(1, 1, 12), **JOINT, **OUT) | norms(),
    ),
    "zero association": ({"add_zero_association": True}, core(**JOINT, **OUT) | norms()),
    "scaling of each head": ({"scaling": torch.tensor([1.0, 2.0, 3.0])}, core(**JOINT, **OUT) | norms()),
}


def shapes(module):
    return {name: tuple(value.shape) for name, value in module.state_dict().items()}


def within(prefix, state):
    return {f"{prefix}.{name}": shape for name, shape in state.items()}


@pytest.mark.parametrize("variant", VARIANTS)
def test_names_and_shapes_are_those_of_hflayers(variant):
    options, expected = VARIANTS[variant]
    hopfield = Hopfield(12, num_heads=3, **options)
    assert shapes(hopfield) == expected
    pooling = HopfieldPooling(12, num_heads=3, quantity=5, **options)
    queries = (
        12 if "state_pattern_as_static" not in options or "disable_out_projection" in options else pooling.hidden_size
    )
    assert shapes(pooling) == within("hopfield", expected) | {"pooling_weights": (1, 5, queries)}
    layer = HopfieldLayer(12, num_heads=3, quantity=5, **options)
    static = "stored_pattern_as_static" in options and "disable_out_projection" not in options
    stored = layer.hidden_size if static else options.get("stored_pattern_size", 12)
    assert shapes(layer) == within("hopfield", expected) | {"lookup_weights": (1, 5, stored)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_runs_and_every_weight_that_is_used_has_a_gradient(variant):
    options, _ = VARIANTS[variant]
    torch.manual_seed(0)
    hopfield = Hopfield(12, num_heads=3, **options, update_steps_max=1)
    stored = torch.randn(2, 6, options.get("stored_pattern_size", 12))
    projection = torch.randn(2, 6, options.get("pattern_projection_size", 12))
    state = torch.randn(2, 4, 12, requires_grad=True)
    answers = hopfield((stored, state, projection))
    assert answers.shape[:2] == (2, 4)
    answers.square().sum().backward()
    assert state.grad.abs().sum() > 0
    for name, parameter in hopfield.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name


def test_layouts_of_the_learned_patterns():
    assert shapes(HopfieldPooling(4, quantity=3, batch_first=False))["pooling_weights"] == (3, 1, 4)
    layer = HopfieldLayer(4, quantity=3, batch_first=False, lookup_weights_as_separated=True, pattern_projection_size=5)
    assert shapes(layer)["lookup_weights"] == (3, 1, 4)
    assert shapes(layer)["target_weights"] == (3, 1, 5)
    assert shapes(HopfieldLayer(4, quantity=3, lookup_weights_as_separated=True))["target_weights"] == (1, 3, 4)


def test_what_is_not_trainable_has_no_gradient():
    assert not HopfieldPooling(4, trainable=False).pooling_weights.requires_grad
    layer = HopfieldLayer(4, trainable=False, lookup_weights_as_separated=True, lookup_targets_as_trainable=False)
    assert not layer.lookup_weights.requires_grad and not layer.target_weights.requires_grad


def test_encoder_and_decoder_names():
    hopfield, (_, expected) = Hopfield(12, num_heads=3), VARIANTS["default"]
    feed = {
        "linear_residual.weight": (16, 12),
        "linear_residual.bias": (16,),
        "linear_output.weight": (12, 16),
        "linear_output.bias": (12,),
    }
    normed = lambda *names: {f"norm_{name}.{part}": (12,) for name in names for part in ("weight", "bias")}  # noqa: E731
    encoder = HopfieldEncoderLayer(hopfield, 16)
    assert shapes(encoder) == within("hopfield_association", expected) | feed | normed("residual", "output")
    decoder = HopfieldDecoderLayer(hopfield, hopfield, 16)
    both = within("hopfield_association_self", expected) | within("hopfield_association_cross", expected)
    assert shapes(decoder) == both | feed | normed("residual_self", "residual_cross", "output")


def test_an_encoder_keeps_the_weights_it_is_given():
    hopfield = Hopfield(12, num_heads=3)
    encoder = HopfieldEncoderLayer(hopfield, 16)
    assert torch.equal(
        encoder.hopfield_association.association_core.in_proj_weight, hopfield.association_core.in_proj_weight
    )
    assert encoder.hopfield_association is not hopfield


HFLAYERS_DEFAULTS = {
    "input_size": None,
    "hidden_size": None,
    "output_size": None,
    "pattern_size": None,
    "num_heads": 1,
    "scaling": None,
    "update_steps_max": 0,
    "update_steps_eps": 1e-4,
    "normalize_stored_pattern": True,
    "normalize_stored_pattern_affine": True,
    "normalize_stored_pattern_eps": 1e-5,
    "normalize_state_pattern": True,
    "normalize_state_pattern_affine": True,
    "normalize_state_pattern_eps": 1e-5,
    "normalize_pattern_projection": True,
    "normalize_pattern_projection_affine": True,
    "normalize_pattern_projection_eps": 1e-5,
    "normalize_hopfield_space": False,
    "normalize_hopfield_space_affine": False,
    "normalize_hopfield_space_eps": 1e-5,
    "stored_pattern_as_static": False,
    "state_pattern_as_static": False,
    "pattern_projection_as_static": False,
    "pattern_projection_as_connected": False,
    "stored_pattern_size": None,
    "pattern_projection_size": None,
    "batch_first": True,
    "association_activation": None,
    "dropout": 0.0,
    "input_bias": True,
    "concat_bias_pattern": False,
    "add_zero_association": False,
    "disable_out_projection": False,
}


def test_arguments_and_defaults_are_those_of_hflayers():
    ours = inspect.signature(Hopfield).parameters
    positional = {name: p.default for name, p in ours.items() if p.kind is p.POSITIONAL_OR_KEYWORD}
    assert positional == HFLAYERS_DEFAULTS
    assert list(positional) == list(HFLAYERS_DEFAULTS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hopfield(
            4,
            num_heads=2,
            omega="entmax",
            omega_parameter=[1.2, 1.8],
            scaling=[0.5, 2.0],
            association_activation="relu",
        ),
        lambda: HopfieldPooling(4, num_heads=2, omega="sparsemax", psi="l2", quantity=2),
        lambda: HopfieldLayer(
            4, quantity=7, omega="subsets:2", psi="layernorm:eps=1e-5", lookup_weights_as_separated=True
        ),
        lambda: HopfieldEncoderLayer(Hopfield(4, update_steps_max=2), 8, dropout=0.0, activation="gelu"),
    ],
)
def test_state_dict_copy_and_pickle_go_there_and_back(make):
    torch.manual_seed(0)
    layer, x = make(), torch.randn(2, 5, 4)
    expected = layer(x)
    other = make()
    other.load_state_dict(layer.state_dict(), strict=True)
    for again in (other, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(again(x), expected)


def test_weights_begin_as_in_hflayers():
    torch.manual_seed(0)
    layer = HopfieldPooling(64, num_heads=2, quantity=64, concat_bias_pattern=True)
    for name, value in layer.state_dict().items():
        if "norm" in name:
            assert (value == float("weight" in name)).all()
        elif name.endswith("bias"):
            assert (value == 0).all()
        else:
            assert 0.01 < value.std() < 0.03, name
    before = layer.pooling_weights.clone()
    layer.reset_parameters()
    assert not torch.equal(before, layer.pooling_weights)
