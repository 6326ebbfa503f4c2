# %% [markdown]
# # A tour of hfy
#
# From pictures in a memory, over what is guaranteed to come back, to a layer that learns where to look. Run it from start to end,
#
#     pip install 'hfy[tour]'
#     python tour.py [folder for the figures]
#
# or a cell at a time in an editor that knows `# %%`. It takes half a minute and writes four figures.

# %%
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.textpath import TextPath  # noqa: E402
from matplotlib.path import Path as Outline  # noqa: E402

import hfy  # noqa: E402

FIGURES = Path(sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "tour-figures")
FIGURES.mkdir(parents=True, exist_ok=True)
RANDOM = np.random.default_rng(7)
BLUE, ORANGE, VERMILION, GREEN, INK, FAINT = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#222222", "#6b6b6b"
plt.rcParams.update(
    {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#5a5a5a", "figure.dpi": 160}
)


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(FIGURES / f"{name}.png", bbox_inches="tight")
    plt.close(figure)
    print(f"  figure: {FIGURES / name}.png")


def pictures(axes: np.ndarray, rows: list[np.ndarray], names: list[str]) -> None:
    """Rows of pictures with their names at the left."""
    for line, images, name in zip(axes, rows, names):
        for place, image in zip(line, images):
            place.imshow(image.reshape(SIDE, SIDE), cmap="gray_r", vmin=-1, vmax=1, interpolation="nearest")
            place.set_xticks([])
            place.set_yticks([])
            for spine in place.spines.values():
                spine.set(visible=True, color="#e2e2e2")
        line[0].set_ylabel(name, rotation=0, ha="right", va="center", color=INK)


# %% [markdown]
# ## 1. Pictures to remember
#
# Letters, drawn from the font that comes with matplotlib: 26 pictures of 24 x 24 pixels, -1 for paper and 1 for ink. To a network a
# picture is a vector, and a memory is a matrix with a picture in each row.

# %%
SIDE = 24
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(text: str, family: str = "DejaVu Sans", weight: str = "bold") -> np.ndarray:
    """A letter that fills its square."""
    outline = TextPath((0, 0), text, size=1, prop=FontProperties(family=family, weight=weight))
    fine = 4 * SIDE
    low, high = outline.vertices.min(axis=0), outline.vertices.max(axis=0)
    scale = 0.84 * fine / (high - low).max()
    grid = np.stack(np.meshgrid(np.arange(fine) + 0.5, np.arange(fine) + 0.5), axis=-1).reshape(-1, 2)
    inside = np.zeros(len(grid), dtype=bool)
    for polygon in outline.to_polygons():  # one within another is a hole
        inside ^= Outline((polygon - (low + high) / 2) * scale + fine / 2).contains_points(grid)
    inside = inside.reshape(fine, fine)[::-1]
    return np.where(inside.reshape(SIDE, 4, SIDE, 4).mean(axis=(1, 3)).ravel() >= 0.5, 1.0, -1.0)


alphabet = np.array([letter(text) for text in LETTERS])
print(f"a memory of {alphabet.shape[0]} patterns with {alphabet.shape[1]} pixels")

# %% [markdown]
# ## 2. Recall
#
# A network is two convex functions and the patterns. Omega decides how scores become weights: softmax gives every pattern some weight,
# sparsemax and entmax give most of them none, k-subsets choose several. We hide the lower half of six letters, add noise, and let each
# network run until it rests.

# %%
shown = [LETTERS.index(text) for text in "HOPFED"]
damaged = alphabet[shown] + 0.8 * RANDOM.standard_normal((len(shown), SIDE * SIDE))
damaged[:, SIDE * SIDE // 2 :] = 0
BETA = 0.03

rows, names = [alphabet[shown], damaged.clip(-1, 1)], ["stored", "query"]
for omega in ["softmax", "entmax:1.5", "sparsemax"]:
    network = hfy.Network(alphabet, omega=omega, beta=BETA)
    found = network.retrieve(damaged)
    exact = sum((state == alphabet[own]).all() for state, own in zip(found.states, shown))
    print(f"{omega:12} exactly back: {exact} of {len(shown)}; first report: {found[0].status}, weight on {len(found[0].support[0])} patterns")
    rows.append(found.states)
    names.append(omega)
figure, axes = plt.subplots(len(rows), len(shown), figsize=(5.2, 4.4), gridspec_kw={"wspace": 0.05, "hspace": 0.08})
pictures(axes, rows, names)
save(figure, "recall")

# %% [markdown]
# A report says more than the state: how it ended, after how many steps, at which energy, and which patterns had weight. Two letters at
# once are an association, which k-subsets retrieve exactly as well.

# %%
both = alphabet[LETTERS.index("A")] + alphabet[LETTERS.index("Z")]
pair = hfy.Network(alphabet, omega="subsets:2", beta=0.1).retrieve(both[None] + 0.3 * RANDOM.standard_normal(SIDE * SIDE))[0]
print(f"an association: {pair.status}, of {[LETTERS[i] for i in pair.association or pair.support[0]]}")

# %% [markdown]
# ## 3. What is guaranteed
#
# Sparse maps have a margin: once a pattern leads by that much, it gets all the weight. So for each pattern there is a radius within
# which every query comes back exactly, in one step. It is computed, not sampled, and it is sharp: just outside, in the worst
# direction, the pattern is lost.

# %%
network = hfy.Network(alphabet, omega="sparsemax", beta=0.06)
certificates = network.certify()
print(f"fixed points: {certificates.fixed_point.sum()} of {len(certificates)}")
print(f"radius: from {certificates.radius.min():.2f} ({LETTERS[certificates.radius.argmin()]}) to {certificates.radius.max():.2f}")

distances = np.concatenate([np.linspace(0.1, 1, 10), np.geomspace(1.02, 40, 30)])
rates, worst = [], []
for factor in distances:
    noise = RANDOM.standard_normal((40, *alphabet.shape))
    noise *= (factor * certificates.radius / np.linalg.norm(noise, axis=-1))[..., None]
    step = network.step((alphabet + noise).reshape(-1, SIDE * SIDE)).reshape(noise.shape)
    rates.append((step == alphabet).all(axis=-1).mean())
    # Straight towards the pattern that limits the radius.
    towards = alphabet[certificates.rival] - alphabet
    towards *= (factor * certificates.radius / np.linalg.norm(towards, axis=-1))[:, None]
    worst.append((network.step(alphabet + towards) == alphabet).all(axis=-1).mean())
assert all(rate == 1 for rate, factor in zip(rates, distances) if factor <= 1), "a certificate was broken"

figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.6), gridspec_kw={"width_ratios": [1.25, 1]})
order = certificates.radius.argsort()
left.bar(range(26), certificates.radius[order], color=BLUE, width=0.8)
left.set_xticks(range(26), [LETTERS[i] for i in order], fontsize=7)
left.set_ylabel("certified radius")
right.axvspan(0.1, 1, color=GREEN, alpha=0.12, lw=0)
right.plot(distances, rates, color=BLUE, label="random directions")
right.plot(distances, worst, color=VERMILION, ls="--", label="worst direction")
right.text(0.32, 0.5, "certified", ha="center", color=GREEN)
right.set(xscale="log", xlim=(0.1, 40), ylim=(-0.03, 1.05))
right.set(xlabel="distance / certified radius", ylabel="returned exactly in one step")
right.legend(frameon=False, fontsize=8, loc=(0.42, 0.1))
figure.tight_layout()
save(figure, "certificates")

# %% [markdown]
# ## 4. A memory that lasts
#
# `hfy.Memory` has ids that stay, labels and metadata, and filters over them. It is a folder that many processes may use at once, and
# it opens at once whatever its size. Networks read it as it is.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "letters.hfy"
    kinds = [{"kind": "vowel" if text in "AEIOU" else "consonant"} for text in LETTERS]
    with hfy.Memory.of(alphabet, path, labels=list(LETTERS), metadata=kinds) as memory:
        memory.remove(memory.query(where="label = 'Q'"))
    opened = hfy.Memory.open(path)
    opened.verify()
    asked = alphabet[LETTERS.index("Q")][None]
    for chosen in [opened.snapshot(), opened.snapshot(where="kind = 'vowel'")]:
        report = hfy.Network(chosen, omega="sparsemax", beta=BETA).retrieve(asked)[0]
        best = int(chosen.ids[report.support[0][0]])
        print(f"{len(chosen)} letters; asked for Q it says: {chosen.label(best)} ({report.status})")

# %% [markdown]
# ## 5. A layer that learns where to look
#
# A bag of pictures is positive if one of them is an A; which one, nobody says. Pooling has to find it. The layer is a network whose
# patterns are the bag and whose query is learned. Bags differ in size, and no padding is needed. We train it with softmax, with
# 1.5-entmax, and with an alpha that is learned with the rest.

# %%
try:
    import torch
except ImportError:
    print("The rest needs torch: pip install 'hfy[torch]'")
    sys.exit()
from hfy.torch import AlphaParameter  # noqa: E402
from hfy.torch.nn import HopfieldPooling  # noqa: E402

torch.set_num_threads(1)
noisy = torch.tensor(alphabet, dtype=torch.float32)
OTHERS = torch.tensor([i for i in range(26) if LETTERS[i] != "A"])


def bag(positive: bool, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """From 6 to 14 noisy letters, and which they are."""
    size = int(torch.randint(6, 15, (1,), generator=generator))
    letters = OTHERS[torch.randint(len(OTHERS), (size,), generator=generator)]
    if positive:
        letters[torch.randint(size, (1,), generator=generator)] = LETTERS.index("A")
    return noisy[letters] + 1.8 * torch.randn(size, SIDE * SIDE, generator=generator), letters


def bags(count: int, seed: int) -> tuple[list[torch.Tensor], torch.Tensor, list[torch.Tensor]]:
    generator = torch.Generator().manual_seed(seed)
    drawn = [bag(bool(i % 2), generator) for i in range(count)]
    return [pictures for pictures, _ in drawn], torch.arange(count) % 2, [letters for _, letters in drawn]


class Detector(torch.nn.Module):
    """Pictures to features, a bag of features to one vector, a vector to a decision."""

    def __init__(self, **pooling: object) -> None:
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Linear(SIDE * SIDE, 32), torch.nn.ReLU())
        self.pooling = HopfieldPooling(input_size=32, hidden_size=32, scaling=0.1, **pooling)
        self.decide = torch.nn.Linear(32, 1)

    def embedded(self, pictures: list[torch.Tensor]) -> list[torch.Tensor]:
        return list(self.features(torch.cat(pictures)).split([len(p) for p in pictures]))

    def forward(self, pictures: list[torch.Tensor]) -> torch.Tensor:
        return self.decide(self.pooling(self.embedded(pictures))).squeeze(-1)


def train(name: str, epochs: int = 8, **pooling: object) -> tuple[Detector, list[float]]:
    torch.manual_seed(0)
    model, (train_bags, train_labels, _), (test_bags, test_labels, _) = Detector(**pooling), bags(400, 1), bags(300, 2)
    # An exponent may move faster than weights, and nothing should pull it to the middle of its range.
    exponents = [p for p_name, p in model.named_parameters() if p_name.endswith("raw")]
    rest = [p for p_name, p in model.named_parameters() if not p_name.endswith("raw")]
    groups = [{"params": rest}, {"params": exponents, "lr": 0.03, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=1.5e-4, weight_decay=0.1)
    curve = []
    for _ in range(epochs):
        for batch in torch.randperm(len(train_bags)).split(20):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                model([train_bags[i] for i in batch]), train_labels[batch].float()
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        with torch.no_grad():
            curve.append(float(((model(test_bags) > 0) == test_labels.bool()).float().mean()))
    print(f"{name:14} accuracy on new bags: {curve[-1]:.3f}")
    return model, curve


alpha = AlphaParameter(1.5, shape=(1,))
models = {
    "softmax": train("softmax"),
    "entmax 1.5": train("entmax 1.5", omega="entmax:1.5"),
    "learned alpha": train("learned alpha", omega="entmax", omega_parameter=alpha),
}
print(f"the learned alpha: {alpha().item():.2f}")

# %% [markdown]
# Where do they look? Softmax leaves some weight on every picture, however little. The sparse ones leave none on most, and that is an
# explanation: what has weight zero had no influence at all.

# %%
test_bags, _, test_letters = bags(300, 2)


def looked_at(model: Detector, pictures: torch.Tensor) -> np.ndarray:
    with torch.no_grad():
        return model.pooling(model.embedded([pictures]), return_report=True)[1].association.flatten().numpy()


# The bag of ten in which softmax is least sure.
tens = [i for i in range(1, 300, 2) if len(test_bags[i]) == 10]
number = min(tens, key=lambda i: looked_at(models["softmax"][0], test_bags[i]).max())
for name, (model, _) in models.items():
    with torch.no_grad():
        _, report = model.pooling(model.embedded(test_bags[1::2]), return_report=True)
    print(f"{name:14} pictures with weight, of {np.mean([len(b) for b in test_bags[1::2]]):.1f}: {report.support_sizes.double().mean():.1f}")
colours = {"softmax": ORANGE, "entmax 1.5": BLUE, "learned alpha": GREEN}

figure, axis = plt.subplots(figsize=(4.4, 2.6))
for name, (_, curve) in models.items():
    axis.plot(range(1, len(curve) + 1), curve, color=colours[name], label=name)
axis.set(xlabel="epoch", ylabel="accuracy on new bags", ylim=(0.45, 1.02))
axis.legend(frameon=False, fontsize=8, loc="lower right")
save(figure, "training")

figure, axes = plt.subplots(4, 10, figsize=(7.2, 3.2), gridspec_kw={"height_ratios": [2, 1, 1, 1], "wspace": 0.08, "hspace": 0.15})
pictures(axes[:1], [test_bags[number].numpy()], ["bag"])
for place, index in zip(axes[0], test_letters[number]):
    place.set_title(LETTERS[index], fontsize=8, color=VERMILION if LETTERS[index] == "A" else FAINT)
for line, (name, (model, _)) in zip(axes[1:], models.items()):
    weights = looked_at(model, test_bags[number])
    for place, weight in zip(line, weights):
        place.bar([0], [weight], color=colours[name], width=0.9)
        place.set(ylim=(0, 1.15), xlim=(-0.6, 0.6), xticks=[], yticks=[])
        place.spines["left"].set_visible(False)
        place.text(0, weight + 0.05, f"{weight:.2f}" if weight > 0 else "0", ha="center", fontsize=7, color=INK if weight > 0 else FAINT)
    line[0].set_ylabel(name, rotation=0, ha="right", va="center", color=colours[name])
save(figure, "attention")
print("done")
