"""Arguments that cannot be right are refused, with their name and the rule."""

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
from torch import nn  # noqa: E402


class Gives(nn.Module):
    """A module that gives what it was given."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self):
        return self.value


@pytest.mark.parametrize(
    "options, message",
    [
        ({"input_size": None}, "input_size = None"),
        ({"input_size": 0}, "input_size = 0: it must be at least 1"),
        (
            {"input_size": 10, "num_heads": 3},
            "input_size = 10: without hidden_size it must be divisible by num_heads = 3",
        ),
        ({"hidden_size": -2}, "hidden_size = -2"),
        ({"output_size": 0}, "output_size = 0"),
        ({"num_heads": 0}, "num_heads = 0"),
        ({"scaling": 0.0}, "scaling = 0.0: it must be positive"),
        ({"scaling": float("nan")}, "scaling = nan"),
        ({"num_heads": 2, "scaling": [1.0, 2.0, 3.0]}, "scaling has 3 entries: .* num_heads = 2"),
        ({"num_heads": 2, "scaling": torch.tensor([1.0, -1.0])}, r"scaling\[1\] = -1.0"),
        ({"num_heads": 2, "update_steps_max": [1, 2, 3]}, "update_steps_max has 3 entries"),
        ({"update_steps_eps": 0.0}, "update_steps_eps = 0.0: it must be positive"),
        ({"update_steps_limit": 0}, "update_steps_limit = 0"),
        ({"pattern_projection_as_connected": True, "pattern_size": 3}, "pattern_size = 3, hidden_size = 8"),
        (
            {"pattern_projection_as_connected": True, "stored_pattern_size": 3},
            "stored_pattern_size = 3, pattern_projection_size = 8",
        ),
        ({"state_pattern_as_static": True, "num_heads": 2}, "state_pattern_as_static = True .* depth 4.* depth 8"),
        ({"stored_pattern_as_static": True, "hidden_size": 5}, "stored_pattern_as_static = True .* depth 5.* depth 8"),
        (
            {"pattern_projection_as_static": True, "pattern_size": 5},
            "pattern_projection_as_static = True .* depth 5.* depth 8",
        ),
        ({**STATIC, "disable_out_projection": True, "hidden_size": 5}, "input_size = 8, hidden_size = 5"),
        (
            {**STATIC, "disable_out_projection": True, "input_size": None},
            "normalize_stored_pattern = True: .* input_size",
        ),
        ({"normalize_hopfield_space_affine": True}, "normalize_hopfield_space = True"),
        ({"concat_bias_pattern": True, "stored_pattern_as_static": True}, "concat_bias_pattern = True"),
        ({"dropout": 1.5}, "dropout = 1.5"),
        ({"association_activation": "rleu"}, "association_activation = 'rleu'"),
        ({"omega": "softmx"}, "omega = 'softmx': known are softmax"),
        ({"omega": "entmax"}, "omega = 'entmax': .*entmax takes alpha"),
        ({"omega": "entmax:-0.5"}, "omega = 'entmax:-0.5': alpha = -0.5"),
        ({"omega": "normmax:1"}, "gamma = 1"),
        ({"omega": "sequence:0"}, "omega = 'sequence:0'"),
        ({"omega": "softmax", "omega_parameter": 2.0}, "softmax takes none"),
        ({"omega": "sequence", "omega_parameter": 0.5}, "omega = 'sequence': a transition apart goes with sequence:K"),
        ({"omega": "sequence:2:t=1", "omega_parameter": [0.5]}, "a transition apart goes with sequence:K and no more"),
        ({"omega": "sequence:0", "omega_parameter": [0.5]}, "omega = 'sequence:0': k = 0"),
        ({"omega": "sequence:x", "omega_parameter": [0.5]}, "omega = 'sequence:x'.*sequence takes k"),
        ({"omega": "sequence:2", "omega_parameter": float("nan")}, "omega = 'sequence:2:t=nan'.* must be finite"),
        ({"omega": "sequence:2", "omega_parameter": [float("inf")]}, "omega = 'sequence:2'.* must be finite"),
        ({"num_heads": 2, "omega": "sequence:2", "omega_parameter": [0.1, 0.2, 0.3]}, "num_heads = 2"),
        ({"omega": "entmax:1.5", "omega_parameter": 2.0}, "has its parameter already"),
        ({"omega": "entmax", "omega_parameter": -0.5}, "alpha = -0.5"),
        ({"num_heads": 2, "omega": "entmax", "omega_parameter": [1.5, -0.5]}, "alpha = -0.5"),
        ({"num_heads": 2, "omega": "entmax", "omega_parameter": [1.5, 1.5, 1.5]}, "num_heads = 2"),
        (
            {"num_heads": 2, "omega": "entmax", "omega_parameter": Gives(torch.ones(3))},
            r"omega_parameter\(\) has shape \(3,\)",
        ),
        ({"psi": "l3"}, "psi = 'l3': known are identity"),
        ({"psi": "l2:-1"}, "radius must be a finite number above 0"),
        ({"psi": "l2:x"}, "radius must be"),
        ({"psi": "layernorm:eps=-1"}, "eps must be"),
        ({"psi": "layernorm:gain=2"}, "layernorm takes eta and eps"),
    ],
)
def test_wrong_values(options, message):
    with pytest.raises(ValueError, match=message):
        Hopfield(**{"input_size": 8} | options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"num_heads": 2.0}, "num_heads = 2.0: it must be a whole number"),
        ({"scaling": "large"}, "scaling = 'large'"),
        ({"update_steps_max": 1.5}, "update_steps_max = 1.5"),
        ({"omega": 1.5}, "omega = 1.5"),
        ({"omega": "entmax", "omega_parameter": Gives(1.5)}, "gave float"),
        ({"psi": None}, "psi = None"),
        ({"hiden_size": 4}, "hiden_size"),
    ],
)
def test_wrong_types(options, message):
    with pytest.raises(TypeError, match=message):
        Hopfield(8, **options)


@pytest.mark.parametrize(
    "given, settings, message",
    [
        (torch.zeros(2, 3, 7), {}, "stored patterns have depth 7: it must be 8"),
        (
            (torch.zeros(2, 3, 8), torch.zeros(2, 3, 7), torch.zeros(2, 3, 8)),
            {},
            "state patterns have depth 7: it must be 8",
        ),
        ((torch.zeros(2, 3, 8), torch.zeros(2, 3, 8), torch.zeros(2, 3, 7)), {}, "pattern projections have depth 7"),
        ((torch.zeros(2, 3, 8), torch.zeros(2, 3, 8)), {}, "input has 2 parts"),
        (torch.zeros(8), {}, r"shape \(8,\): it must be \(batch, length, depth\)"),
        ((torch.zeros(2, 3, 8), torch.zeros(3, 3, 8), torch.zeros(2, 3, 8)), {}, "batches of 2 and 3"),
        (
            (torch.zeros(2, 3, 8), torch.zeros(2, 3, 8), torch.zeros(2, 4, 8)),
            {},
            "one projection for each stored pattern",
        ),
        (
            torch.zeros(2, 3, 8),
            {"stored_pattern_padding_mask": torch.zeros(2, 4, dtype=torch.bool)},
            r"stored patterns\) = \(2, 3\)",
        ),
        (torch.zeros(2, 3, 8), {"association_mask": torch.zeros(2, 3, 3)}, r"association_mask has shape \(2, 3, 3\)"),
        (torch.zeros(2, 3, 8), {"association_mask": torch.zeros(3)}, r"association_mask has shape \(3,\)"),
        (torch.full((2, 3, 8), torch.nan), {}, "NaN"),
    ],
)
def test_wrong_inputs(given, settings, message):
    with pytest.raises(ValueError, match=message):
        Hopfield(8, num_heads=2)(given, **settings)


def test_masks_of_whole_numbers_are_refused_as_nobody_can_know_what_they_mean():
    with pytest.raises(TypeError, match="association_mask has dtype torch.int64"):
        Hopfield(8)(torch.zeros(2, 3, 8), association_mask=torch.zeros(3, 3, dtype=torch.int64))


def test_a_memory_checks_depths():
    memory = Hopfield.memory(8)
    with pytest.raises(ValueError, match="stored patterns have depth 7: it must be 8"):
        memory.retrieve(torch.zeros(1, 8), torch.zeros(3, 7))
    with pytest.raises(ValueError, match="depths 8 and 7: static ones must have the same"):
        Hopfield.memory().retrieve(torch.zeros(1, 8), torch.zeros(3, 7))


def test_wrong_wrappers():
    with pytest.raises(ValueError, match="quantity = 0"):
        HopfieldPooling(8, quantity=0)
    with pytest.raises(ValueError, match="quantity = 0"):
        HopfieldLayer(8, quantity=0)
    with pytest.raises(ValueError, match="input has 3 parts"):
        HopfieldPooling(8)((torch.zeros(1, 2, 8),) * 3)
    with pytest.raises(ValueError, match="output_size = 4"):
        HopfieldEncoderLayer(Hopfield(8, output_size=4))
    with pytest.raises(ValueError, match="needs it"):
        HopfieldEncoderLayer(Hopfield.memory())
    with pytest.raises(ValueError, match="activation = 'rleu'"):
        HopfieldEncoderLayer(Hopfield(8), activation="rleu")
    with pytest.raises(ValueError, match="batch_first"):
        HopfieldDecoderLayer(Hopfield(8), Hopfield(8, batch_first=False))


def test_layers_without_norms_do_not_mind_the_affine_default():
    """hflayers refuses normalize_state_pattern=False unless its affine is False, too."""
    assert Hopfield(8, **PLAIN)(torch.zeros(1, 2, 8)).shape == (1, 2, 8)
