"""With the softmax and the same weights, the Hopfield layers are torch's attention and transformer layers."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch.nn import Hopfield, HopfieldDecoderLayer, HopfieldEncoderLayer  # noqa: E402
from nn_common import PLAIN, random, same  # noqa: E402
from torch import nn  # noqa: E402

BATCH, QUERIES, STORED, DEPTH, HEADS = 3, 4, 5, 8, 2


def pair(batch_first=True, kdim=None, vdim=None, bias=True, bias_kv=False, zero=False):
    """torch's attention and a Hopfield layer with its weights."""
    torch.manual_seed(1)
    attention = nn.MultiheadAttention(
        DEPTH, HEADS, bias=bias, add_bias_kv=bias_kv, add_zero_attn=zero, kdim=kdim, vdim=vdim, batch_first=batch_first
    ).double()
    for (
        parameter
    ) in attention.parameters():  # torch begins with biases of zero, which would hide that they are left out
        nn.init.normal_(parameter, std=0.5)
    hopfield = Hopfield(
        DEPTH,
        num_heads=HEADS,
        stored_pattern_size=kdim,
        pattern_projection_size=vdim,
        batch_first=batch_first,
        input_bias=bias,
        concat_bias_pattern=bias_kv,
        add_zero_association=zero,
        **PLAIN,
    ).double()
    hopfield.association_core.load_state_dict(attention.state_dict())
    return attention, hopfield


def masks(kind):
    if kind == "padding":
        mask = torch.zeros(BATCH, STORED, dtype=torch.bool)
        mask[0, 3:] = mask[2, :2] = True
        return {"key_padding_mask": mask}
    if kind == "association":
        return {"attn_mask": random(QUERIES, STORED, seed=9) > 0.8}
    if kind == "association of each head":
        return {"attn_mask": random(BATCH * HEADS, QUERIES, STORED, seed=9) > 0.8}
    if kind == "numbers":
        return {"attn_mask": random(QUERIES, STORED, seed=9)}
    if kind == "both":
        return masks("padding") | masks("association")
    return {}


MASKS = ["none", "padding", "association", "association of each head", "numbers", "both"]


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"batch_first": False},
        {"kdim": 6, "vdim": 7},
        {"bias": False},
        {"bias_kv": True},
        {"zero": True},
        {"bias_kv": True, "zero": True},
    ],
    ids=str,
)
def test_outputs_and_gradients_are_those_of_multi_head_attention(variant, kind):
    attention, hopfield = pair(**variant)
    query = random(BATCH, QUERIES, DEPTH)
    key = random(BATCH, STORED, variant.get("kdim", DEPTH), seed=1)
    value = random(BATCH, STORED, variant.get("vdim", DEPTH), seed=2)
    inputs = [x.transpose(0, 1) if variant.get("batch_first") is False else x for x in (query, key, value)]
    inputs = [x.clone().requires_grad_() for x in inputs]
    mask = masks(kind)
    expected, weights = attention(*inputs, **mask, average_attn_weights=False)
    given = (inputs[1], inputs[0], inputs[2])
    got = hopfield(given, mask.get("key_padding_mask"), mask.get("attn_mask"))
    same(got, expected)
    same(hopfield.get_association_matrix(given, mask.get("key_padding_mask"), mask.get("attn_mask")), weights.detach())
    upstream = torch.randn_like(expected)
    wanted = torch.autograd.grad((expected * upstream).sum(), [*inputs, *attention.parameters()])
    names = [name for name, _ in attention.named_parameters()]
    ours = dict(hopfield.association_core.named_parameters())
    found = torch.autograd.grad((got * upstream).sum(), [*inputs, *(ours[name] for name in names)])
    for gradient, expectation in zip(found, wanted, strict=True):
        same(gradient, expectation)


def test_the_functional_form_with_heads_that_are_no_part_of_the_depth():
    """hidden_size * num_heads need not be the depth; torch's functional form takes that through its keys and values."""
    torch.manual_seed(2)
    hopfield = Hopfield(DEPTH, hidden_size=5, pattern_size=3, num_heads=HEADS, output_size=6, **PLAIN).double()
    core = hopfield.association_core
    x = random(BATCH, QUERIES, DEPTH)
    q, k, v = (
        nn.functional.linear(x, weight, bias).unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for weight, bias in zip(
            (core.q_proj_weight, core.k_proj_weight, core.v_proj_weight),
            core.in_proj_bias.split([10, 10, 6]),
            strict=True,
        )
    )
    heads = nn.functional.scaled_dot_product_attention(q, k, v)
    same(hopfield(x), core.out_proj(heads.transpose(1, 2).flatten(2)))


def test_one_sequence_and_one_memory_for_a_whole_batch():
    attention, hopfield = pair()
    query, stored = random(BATCH, QUERIES, DEPTH), random(STORED, DEPTH, seed=1)
    each = torch.stack([attention(one, stored, stored)[0] for one in query])
    same(hopfield((stored, query, stored)), each)
    same(hopfield((stored, query[0], stored)), each[0])
    same(hopfield((each, query[0], each)), hopfield((each, query[:1].expand_as(each), each)))


@pytest.mark.parametrize("omega", ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.1"])
@pytest.mark.parametrize("numbers", [False, True])
def test_rows_that_are_masked_whole_give_zeros_and_no_nan(omega, numbers):
    torch.manual_seed(3)
    hopfield = Hopfield(DEPTH, num_heads=HEADS, omega=omega, update_steps_max=2).double()
    nn.init.normal_(hopfield.association_core.out_proj.bias)
    x = random(BATCH, STORED, DEPTH).requires_grad_()
    mask = torch.zeros(STORED, STORED, dtype=torch.bool)
    mask[1] = True
    given = torch.where(mask, -torch.inf, 0.0) if numbers else mask
    answers, report = hopfield(x, association_mask=given, return_report=True)
    same(answers[:, 1], hopfield.association_core.out_proj.bias.expand(BATCH, -1))
    assert (report.association[:, :, 1] == 0).all()
    assert (report.support_sizes[:, :, 1] == 0).all() and (report.pattern[:, :, 1] == -1).all()
    assert (report.association.sum(-1)[:, :, 0] > 0.99).all()
    answers.sum().backward()
    assert all(p.grad.isfinite().all() for p in [x, *hopfield.parameters()])


def test_what_stands_in_padded_places_does_no_harm():
    torch.manual_seed(4)
    hopfield = Hopfield(DEPTH, num_heads=HEADS, update_steps_max=2).double()
    x = random(BATCH, STORED, DEPTH)
    padding = masks("padding")["key_padding_mask"]
    query = random(BATCH, QUERIES, DEPTH, seed=5)
    clean = hopfield((x, query, x), padding)
    x[padding] = torch.nan
    answers = hopfield((x, query, x), padding)
    assert torch.equal(answers, clean)
    answers.sum().backward()
    assert all(p.grad.isfinite().all() for p in hopfield.parameters())


def transformer_names(*pairs):
    """From names of torch's layers to ours."""
    return {f"{theirs}.{part}": f"{ours}.{part}" for theirs, ours in pairs for part in ("weight", "bias")}


ATTENTION = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
ENCODER = transformer_names(
    ("linear1", "linear_residual"), ("linear2", "linear_output"), ("norm1", "norm_residual"), ("norm2", "norm_output")
) | {f"self_attn.{part}": f"hopfield_association.association_core.{part}" for part in ATTENTION}
DECODER = (
    transformer_names(
        ("linear1", "linear_residual"),
        ("linear2", "linear_output"),
        ("norm1", "norm_residual_self"),
        ("norm2", "norm_residual_cross"),
        ("norm3", "norm_output"),
    )
    | {f"self_attn.{part}": f"hopfield_association_self.association_core.{part}" for part in ATTENTION}
    | {f"multihead_attn.{part}": f"hopfield_association_cross.association_core.{part}" for part in ATTENTION}
)


def load(theirs, ours, names):
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=0.3)
    ours.load_state_dict({names[name]: value for name, value in theirs.state_dict().items()})


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_encoder_layer_is_that_of_torch(batch_first, activation):
    torch.manual_seed(5)
    options = {"dropout": 0.0, "activation": activation}
    theirs = nn.TransformerEncoderLayer(DEPTH, HEADS, 16, batch_first=batch_first, **options).double()
    ours = HopfieldEncoderLayer(
        Hopfield(DEPTH, num_heads=HEADS, batch_first=batch_first, **PLAIN), 16, **options
    ).double()
    load(theirs, ours, ENCODER)
    x = random(BATCH, STORED, DEPTH)
    x = x if batch_first else x.transpose(0, 1)
    padding = masks("padding")["key_padding_mask"]
    causal = nn.Transformer.generate_square_subsequent_mask(STORED, dtype=torch.float64)
    # Row 0 of the last element sees only itself, which is padding: torch gives NaN there and we do not.
    padding[2] = False
    for mask, ignored in ((None, None), (causal, None), (None, padding), (causal.isinf(), padding)):
        same(ours(x, mask, ignored), theirs(x, mask, ignored))
    stack = nn.TransformerEncoder(ours, 2, enable_nested_tensor=False)
    expected = nn.TransformerEncoder(theirs, 2, enable_nested_tensor=False)
    same(stack(x, mask=causal, is_causal=True), expected(x, mask=causal, is_causal=True))


@pytest.mark.parametrize("batch_first", [True, False])
def test_the_decoder_layer_is_that_of_torch(batch_first):
    torch.manual_seed(6)
    theirs = nn.TransformerDecoderLayer(DEPTH, HEADS, 16, dropout=0.0, batch_first=batch_first).double()
    association = Hopfield(DEPTH, num_heads=HEADS, batch_first=batch_first, **PLAIN)
    ours = HopfieldDecoderLayer(association, association, 16, dropout=0.0).double()
    load(theirs, ours, DECODER)
    target, memory = random(BATCH, QUERIES, DEPTH), random(BATCH, STORED, DEPTH, seed=1)
    if not batch_first:
        target, memory = target.transpose(0, 1), memory.transpose(0, 1)
    causal = nn.Transformer.generate_square_subsequent_mask(QUERIES, dtype=torch.float64)
    settings = {"tgt_mask": causal, "memory_key_padding_mask": masks("padding")["key_padding_mask"]}
    same(ours(target, memory, **settings), theirs(target, memory, **settings))
    same(
        nn.TransformerDecoder(ours, 2)(target, memory, **settings),
        nn.TransformerDecoder(theirs, 2)(target, memory, **settings),
    )


def test_dropout_is_of_the_association_and_of_training_alone():
    torch.manual_seed(7)
    hopfield = Hopfield(DEPTH, dropout=1.0, disable_out_projection=True)
    x = torch.randn(1, STORED, DEPTH)
    assert (hopfield(x) == 0).all()
    assert (hopfield.get_association_matrix(x).sum(-1) > 0.99).all()
    assert (hopfield.eval()(x) != 0).any()


def test_the_activation_is_of_the_output():
    torch.manual_seed(8)
    hopfield = Hopfield(DEPTH, association_activation="tanh")
    x = torch.randn(1, STORED, DEPTH)
    answers = hopfield(x)
    hopfield.association_activation = None
    assert torch.equal(answers, hopfield(x).tanh())
