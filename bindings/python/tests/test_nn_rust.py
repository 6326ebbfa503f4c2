"""The layers of the crate hfy-nn and those of hfy.torch.nn are the same functions of the same weights.

The example `parity` of the crate computes answers and gradients from files. HFY_NN_PARITY says where it is; check.py builds it.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch import AlphaParameter, TransitionParameter  # noqa: E402
from hfy.torch.nn import Hopfield, HopfieldLayer, HopfieldPooling  # noqa: E402
from nn_common import random  # noqa: E402

PARITY = os.environ.get("HFY_NN_PARITY")
pytestmark = pytest.mark.skipif(
    not PARITY, reason="HFY_NN_PARITY is not set: cargo build -p hfy-nn --example parity, and the path of the program"
)

STORED, STATE = (1, 3, 7), (2, 1, 3)
LEARNED = "learned"
CASES = {
    "default": {"num_heads": 3},
    "sizes": {"num_heads": 2, "hidden_size": 5, "output_size": 7, "update_steps_max": 2},
    "no biases, no output": {"num_heads": 2, "input_bias": False, "disable_out_projection": True, "omega": "entmax:1.5"},
    "separate depths": {"num_heads": 2, "stored_pattern_size": 4, "pattern_projection_size": 5, "pattern_size": 2},
    "connected": {"num_heads": 2, "pattern_projection_as_connected": True, "hidden_size": 4, "omega": "sparsemax"},
    "connected to static": {
        "num_heads": 2,
        "pattern_projection_as_connected": True,
        "stored_pattern_as_static": True,
        "hidden_size": 6,
    },
    "static projection": {"num_heads": 2, "pattern_projection_as_static": True, "hidden_size": 6},
    "static states": {"num_heads": 2, "state_pattern_as_static": True, "hidden_size": 6, "update_steps_max": 1},
    "Hopfield space": {
        "num_heads": 2,
        "normalize_hopfield_space": True,
        "normalize_hopfield_space_affine": True,
        "normalize_state_pattern_affine": False,
        "normalize_stored_pattern": False,
        "update_steps_max": 1,
    },
    "added patterns": {
        "num_heads": 2,
        "concat_bias_pattern": True,
        "add_zero_association": True,
        "omega": "subsets:2",
        "update_steps_max": 1,
    },
    "alpha of each head": {"num_heads": 2, "omega": "entmax", "omega_parameter": {LEARNED: [1.3, 1.7]}},
    "gamma": {
        "num_heads": 2,
        "omega": "normmax",
        "omega_parameter": {LEARNED: [2.5]},
        "scaling": 0.2,
        "update_steps_max": 2,
    },
    "beta of each head": {"num_heads": 2, "scaling": {LEARNED: [0.7, 1.4]}, "omega": "entmax:1.3"},
    "fixed for each head": {
        "num_heads": 2,
        "scaling": [0.7, 1.4],
        "omega": "entmax",
        "omega_parameter": [1.2, 2.0],
        "association_activation": "gelu",
    },
    "l2": {"num_heads": 2, "psi": "l2", "psi_patterns": True, "update_steps_max": 2, "association_activation": "tanh"},
    "layernorm": {"num_heads": 2, "psi": "layernorm:eps=1e-3", "update_steps_max": 2, "association_activation": "sigmoid"},
    "affine layernorm": {
        "num_heads": 2,
        "psi": "layernorm",
        "psi_affine": True,
        "psi_patterns": True,
        "update_steps_max": 2,
        "omega": "normmax:2",
    },
    "affine layernorm with eps": {"num_heads": 1, "psi": "layernorm:eps=1e-3", "psi_affine": True, "omega": "subsets:1"},
    "converged": {"num_heads": 2, "update_steps_max": None, "update_steps_eps": 1e-3, "association_activation": "relu"},
    "sequence": {"num_heads": 2, "omega": "sequence:1:t=0.5", "concat_bias_pattern": True},
    "sequence of more than there are": {"num_heads": 2, "omega": "sequence:2:t=0.5", "update_steps_max": 1},
    "sequence of one state": {"num_heads": 2, "omega": "sequence:3:t=-0.4:reg=on"},
    "transition of each head": {
        "num_heads": 2,
        "omega": "sequence:2",
        "omega_parameter": {LEARNED: [0.3, -0.4]},
        "update_steps_max": 1,
    },
    "one transition": {"num_heads": 2, "omega": "sequence:3", "omega_parameter": {LEARNED: [0.5]}},
    "fixed transitions": {"num_heads": 2, "omega": "sequence:2", "omega_parameter": [0.6, -0.2]},
}
MASKS = {
    "patterns": {"ignored_patterns"},
    "associations": {"ignored_associations"},
    "added numbers": {"added"},
    "all": {"ignored_patterns", "ignored_associations", "added"},
}
MASKED = {
    "softmax": {"omega": "softmax"},
    "sparsemax": {"omega": "sparsemax"},
    "alpha of each head": {"omega": "entmax", "omega_parameter": {LEARNED: [1.3, 1.7]}},
    "normmax": {"omega": "normmax:3"},
    "subsets": {"omega": "subsets:2"},
    "sequence": {"omega": "sequence:2:t=0.5"},
    "transition of each head": {"omega": "sequence:2", "omega_parameter": {LEARNED: [0.3, -0.4]}},
}
LEARNED_PATTERNS = {
    "pooling": (HopfieldPooling, {"num_heads": 2, "quantity": 3, "omega": "subsets:2", "scaling": 1.5}),
    "pooling to convergence": (
        HopfieldPooling,
        {"num_heads": 2, "quantity": 2, "omega": "entmax:1.5", "update_steps_max": None, "update_steps_eps": 1e-3},
    ),
    "lookup": (HopfieldLayer, {"num_heads": 2, "quantity": 5, "omega": "sparsemax", "update_steps_max": 1}),
    "lookup of targets": (
        HopfieldLayer,
        {
            "num_heads": 2,
            "quantity": 5,
            "lookup_weights_as_separated": True,
            "psi": "layernorm",
            "psi_affine": True,
            "omega": "entmax",
            "omega_parameter": {LEARNED: [1.4, 1.6]},
        },
    ),
}


def write(path: Path, tensors):
    """A safetensors file."""
    arrays = {name: value.detach().to(torch.float32).contiguous().numpy() for name, value in tensors.items()}
    head, end = {}, 0
    for name, array in arrays.items():
        head[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [end, end := end + array.nbytes]}
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in arrays.values()))


def read(path: Path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    head, data = json.loads(data[8 : 8 + size]), data[8 + size :]
    head.pop("__metadata__", None)
    assert all(entry["dtype"] == "F32" for entry in head.values())
    arrays = {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
        for name, entry in head.items()
    }
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def make(kind, options):
    """A layer of hfy.torch.nn in double precision. What is learned becomes a parameter as Python has it."""
    options = dict(options)
    for name in ("scaling", "omega_parameter"):
        value = options.get(name)
        if not isinstance(value, dict):
            continue
        numbers = torch.tensor(value[LEARNED])
        if name == "scaling":
            options[name] = torch.nn.Parameter(numbers)
        elif options["omega"].startswith("sequence"):
            options[name] = TransitionParameter(shape=numbers.shape)
        else:
            high = 2.0 if options["omega"] == "entmax" else float("inf")
            options[name] = AlphaParameter(1.5, high=high, shape=numbers.shape)
    return kind(6, **options).double()


def spread(layer):
    """Weights that are exact in single precision and give scores of some size; norms stay near one."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            drawn = torch.randn(parameter.shape, generator=generator)
            near = parameter.float() + 0.3 * drawn
            kept = any(part in name for part in ("omega", "beta", "norm", "psi"))
            parameter.copy_(near.clamp(min=0.2) if name.endswith("beta") else near if kept else 0.6 * drawn)
    return layer


def sized(sizes, depth, seed):
    """Random rows that are exact in single precision, and where their bags begin."""
    rows = random(sum(sizes), depth, seed=seed).float().double().requires_grad_()
    return rows, [0, *np.cumsum(sizes).tolist()]


def bags(rows, offsets):
    return list(rows.split(np.diff(offsets).tolist()))


def compare(got, expected, what):
    # Gradients that are zero in theory, as those of shifts of all scores, are sums of terms of size one.
    largest = expected.abs().max().item() if expected.numel() else 0.0
    torch.testing.assert_close(
        got.double(), expected, rtol=0, atol=1e-5 * max(largest, 1.0), msg=lambda text: f"{what}: {text}"
    )


def run(folder, layer, options, inputs, answer, masks=None, steps=0):
    """Holds Rust's states, answers and gradients to those of Python, after steps of training in Rust if there are any."""
    kind, masks = type(layer), dict(masks or {})
    upstream = random(*answer(layer).shape, seed=9).float().double()
    rows = {f"input{number}": rows for number, (rows, _) in enumerate(inputs)}
    tensors = rows | {"upstream": upstream}
    if "added" in masks:
        tensors["added"] = masks.pop("added")
    case = {
        "kind": kind.__name__,
        "options": {"input_size": 6} | options,
        "offsets": [offsets for _, offsets in inputs],
        "steps": steps,
    }
    (folder / "case.json").write_text(json.dumps(case | {name: mask.tolist() for name, mask in masks.items()}))
    write(folder / "state.safetensors", layer.state_dict())
    write(folder / "inputs.safetensors", tensors)
    done = subprocess.run([PARITY, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    # States go both ways, whole.
    again = read(folder / "again.safetensors")
    assert again.keys() == layer.state_dict().keys()
    for name, value in layer.state_dict().items():
        assert torch.equal(again[name], value.float()) == (steps == 0), name
    make(kind, options).load_state_dict(read(folder / "fresh.safetensors"), strict=True)
    layer.load_state_dict(again, strict=True)

    answers = answer(layer)
    found = read(folder / "found.safetensors")
    compare(found.pop("answers"), answers.detach(), "answers")
    (answers * upstream).sum().backward()
    expected = {name: tensor.grad for name, tensor in [*rows.items(), *layer.named_parameters()]}
    assert {name.removeprefix("gradient.") for name in found} == expected.keys()
    for name, gradient in expected.items():
        gradient = torch.zeros_like(dict(layer.named_parameters())[name]) if gradient is None else gradient
        assert "omega" not in name or (gradient != 0).all(), f"{name} has no gradient: the case says nothing about it"
        compare(found[f"gradient.{name}"], gradient, f"gradient of {name}")


def three(options):
    """Stored patterns, states and pattern projections in bags of different sizes."""
    return [
        sized(STORED, options.get("stored_pattern_size", 6), 1),
        sized(STATE, 6, 2),
        sized(STORED, options.get("pattern_projection_size", 6), 3),
    ]


def in_bags(inputs):
    """The answers of a layer for three inputs."""
    return lambda layer: torch.cat(layer(tuple(bags(*part) for part in inputs)))


def pooled(inputs):
    """The answers of a layer with learned patterns."""
    ((rows, offsets),) = inputs
    return lambda layer: layer(rows, offsets=torch.tensor(offsets))


@pytest.mark.parametrize("case", CASES)
def test_a_layer(case, tmp_path):
    options = CASES[case]
    inputs = three(options)
    run(tmp_path, spread(make(Hopfield, options)), options, inputs, in_bags(inputs))


@pytest.mark.parametrize("case", LEARNED_PATTERNS)
def test_learned_patterns(case, tmp_path):
    kind, options = LEARNED_PATTERNS[case]
    inputs = [sized(STORED, 6, 1)]
    run(tmp_path, spread(make(kind, options)), options, inputs, pooled(inputs))


def test_a_layer_without_weights(tmp_path):
    options = {
        f"{name}_as_static": True for name in ("stored_pattern", "state_pattern", "pattern_projection")
    } | {f"normalize_{name}": False for name in ("stored_pattern", "state_pattern", "pattern_projection")}
    options |= {"disable_out_projection": True, "num_heads": 2, "hidden_size": 6, "update_steps_max": 2, "psi": "l2"}
    inputs = three(options)
    run(tmp_path, spread(make(Hopfield, options)), options, inputs, in_bags(inputs))


def masks_of(names):
    """Masks of three bags of five stored patterns, for two heads and three queries. The second query may see nothing."""
    patterns = torch.zeros(3, 5, dtype=torch.bool)
    patterns[0, 1], patterns[1, [0, 3]], patterns[2, [0, 1, 3, 4]] = True, True, True
    associations = torch.zeros(3, 5, dtype=torch.bool)
    associations[0, 2], associations[1] = True, True
    added = random(3, 2, 3, 5, seed=4).float().double()
    added[0, 1, 2, 0] = added[1, 0, 0, 1] = -torch.inf
    every = {"ignored_patterns": patterns, "ignored_associations": associations, "added": added}
    return {name: every[name] for name in names}


@pytest.mark.parametrize("omega", MASKED)
@pytest.mark.parametrize("case", MASKS)
def test_masks(case, omega, tmp_path):
    options = MASKED[omega] | {"num_heads": 2, "scaling": 0.1, "update_steps_max": 1}
    masks = masks_of(MASKS[case])
    inputs = [sized((size,) * 3, 6, seed) for size, seed in ((5, 1), (3, 2), (5, 3))]
    batches = tuple(rows.unflatten(0, (3, -1)) for rows, _ in inputs)
    # Python takes one mask of associations, with minus infinity for what is ignored.
    association = masks.get("added", masks.get("ignored_associations"))
    if MASKS[case] > {"ignored_associations", "added"}:
        association = association.masked_fill(masks["ignored_associations"], -torch.inf)
    answer = lambda layer: layer(batches, masks.get("ignored_patterns"), association).flatten(0, 1)  # noqa: E731
    run(tmp_path, spread(make(Hopfield, options)), options, inputs, answer, masks)


def test_masks_of_pooling(tmp_path):
    options = {"num_heads": 2, "quantity": 3, "omega": "sequence:2", "omega_parameter": {LEARNED: [0.3, -0.4]}}
    masks = masks_of({"ignored_patterns", "added"})
    inputs = [sized((5,) * 3, 6, 1)]
    batch = inputs[0][0].unflatten(0, (3, -1))
    answer = lambda layer: layer(batch, masks["ignored_patterns"], masks["added"])  # noqa: E731
    run(tmp_path, spread(make(HopfieldPooling, options)), options, inputs, answer, masks)


TRAINED = {
    "alpha of each head": {"omega": "entmax", "omega_parameter": {LEARNED: [1.5, 1.5]}},
    "transition of each head": {"omega": "sequence:2", "omega_parameter": {LEARNED: [0.0, 0.0]}},
}


@pytest.mark.parametrize("case", TRAINED)
def test_pooling_that_torch_has_trained(case, tmp_path):
    options = TRAINED[case] | {"num_heads": 2, "quantity": 2, "update_steps_max": 1, "scaling": {LEARNED: [0.8, 1.2]}}
    layer = spread(make(HopfieldPooling, options)).float()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    inputs = [sized((4, 3, 7, 5), 6, 1)]
    rows, offsets = inputs[0][0].detach().float(), torch.tensor(inputs[0][1])
    wanted = random(4, 12, seed=5).float()
    optimiser = torch.optim.AdamW(layer.parameters(), lr=0.02)
    losses = []
    for _ in range(8):
        loss = (layer(rows, offsets=offsets) - wanted).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert not any(torch.equal(before[name], value) for name, value in layer.state_dict().items())
    layer.zero_grad()
    run(tmp_path, layer.double(), options, inputs, pooled(inputs))


@pytest.mark.parametrize("case", TRAINED)
def test_pooling_that_rust_has_trained(case, tmp_path):
    options = TRAINED[case] | {"num_heads": 2, "quantity": 2, "update_steps_max": 1, "scaling": {LEARNED: [0.8, 1.2]}}
    inputs = [sized((4, 3, 7, 5), 6, 1)]
    run(tmp_path, spread(make(HopfieldPooling, options)), options, inputs, pooled(inputs), steps=8)
