"""A whole training step of a classifier of bags in PyTorch: forward, backward, clipping, AdamW.

    python benches/train.py [threads]

The cases are those of the crate's benchmark `step` (make bench CASES=step), which this is to be held against: 12 pictures through a
LeNet, and 7 rows of 230 features, with pooling by eight or twelve heads of softmax, in torch's own operators.
"""

from timing import THREADS, best, table  # isort: skip  (first: it sets threads)

import torch
from torch import nn


class Pooling(nn.Module):
    """A learned query for each head asks the instances of one bag: hflayers' HopfieldPooling in a few lines."""

    def __init__(self, width: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Parameter(0.02 * torch.randn(1, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.q, self.k, self.v = (nn.Linear(width, heads * hidden) for _ in range(3))
        self.out = nn.Linear(heads * hidden, width)

    def forward(self, x):
        query, keys, values = (norm(rows) for norm, rows in zip(self.norms, [self.query, x, x]))
        q, k, v = (
            layer(rows).unflatten(1, (self.heads, -1)).transpose(0, 1)
            for layer, rows in [(self.q, query), (self.k, keys), (self.v, values)]
        )
        weights = torch.softmax(q @ k.transpose(1, 2), -1)
        return self.out((weights @ v).transpose(0, 1).flatten(1))


def digits():
    lenet = [nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2)]
    embedding = [*lenet, nn.Flatten(), nn.Linear(800, 500), nn.ReLU()]
    return nn.Sequential(*embedding, Pooling(500, 64, 8), nn.Linear(500, 1)), torch.randn(12, 1, 28, 28)


def fox():
    embedding = [nn.Linear(230, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU()]
    return nn.Sequential(*embedding, Pooling(32, 32, 12), nn.ReLU(), nn.Linear(32, 1)), torch.randn(7, 230)


def step(case):
    model, x = case()
    # Its fastest form: one loop over all parameters.
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=1e-4, fused=True)
    loss, label = nn.BCEWithLogitsLoss(), torch.ones(1, 1)

    def work():
        optimiser.zero_grad()
        loss(model(x), label).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return work


def main():
    torch.set_num_threads(int(THREADS))
    torch.set_flush_denormal(True)
    times = best({"digits softmax": step(digits), "fox softmax": step(fox)}, seconds=2, rounds=5)
    rows = [(name, [f"{1000 * seconds:.3f} ms"]) for name, seconds in times.items()]
    table(f"PyTorch {torch.__version__}, {THREADS} threads", rows, ["a step"])


if __name__ == "__main__":
    main()
