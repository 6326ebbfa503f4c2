"""Classifiers of the package torchmil in the nested cross-validation of `hfy mil evaluate`, to be held against it.

    python benches/mil_peer.py FOLDER [repetitions]        (pip install torch torchmil; FOLDER has fox.csv.gz, musk1.csv.gz, ...)

The embedding, the optimiser, the choice of the epoch and the sizes of the folds are those of `hfy mil evaluate` without options; the folds
are drawn anew from each seed. One JSON line a model and set: area under the curve in percent, its deviation over repetitions, and
milliseconds of a training step.
"""

import copy
import csv
import gzip
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torchmil.models import ABMIL, DSMIL

HEADED = {"fox", "tiger", "elephant"}  # these files have a header, bag_id,label,...; the others are label,bag,...
EPOCHS, PATIENCE, FOLDS = 100, 15, 10


def read(path: Path, name: str):
    """Instances of each bag, and the labels."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.reader(file))
    if name in HEADED:
        rows = [[row[1], row[0], *row[2:]] for row in rows[1:]]
    bags, labels = {}, {}
    for label, bag, *features in rows:
        bags.setdefault(bag, []).append([float(value) for value in features])
        labels[bag] = float(label) > 0
    return [np.array(bags[name], dtype=np.float32) for name in bags], np.array([labels[name] for name in bags])


def stratified(labels, folds, random):
    """The fold of each bag, with both labels spread evenly."""
    found = np.empty(len(labels), dtype=int)
    for label in (False, True):
        members = random.permutation(np.flatnonzero(labels == label))
        found[members] = np.arange(len(members)) % folds
    return found


def area(logits, labels):
    """Area under the curve; ties count half."""
    ahead = logits[labels][:, None] - logits[~labels][None, :]
    return float(((ahead > 0) + 0.5 * (ahead == 0)).mean())


def embedding(width):
    return nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())


MODELS = {
    "ABMIL": lambda width: ABMIL(in_shape=(width,), att_dim=64, feat_ext=embedding(width)),
    "gated ABMIL": lambda width: ABMIL(in_shape=(width,), att_dim=64, gated=True, feat_ext=embedding(width)),
    "DSMIL": lambda width: nn.Sequential(embedding(width), DSMIL(in_shape=(64,), att_dim=64)),
}


def logits_of(model, bags):
    model.eval()
    with torch.no_grad():
        return np.array([model(bag).item() for bag in bags])


def train(make, bags, labels, split, seed):
    """The test score of the epoch that is best on the validation bags, and the seconds of a step."""
    training, validation, test = split
    rows = np.concatenate([bags[at] for at in training])
    mean, deviation = rows.mean(0), rows.std(0)
    scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0)
    tensors = [torch.tensor((bag - mean) * scale, dtype=torch.float32)[None] for bag in bags]
    torch.manual_seed(seed)
    model, targets = make(rows.shape[1]), torch.tensor(labels, dtype=torch.float32)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.98)
    best, kept, since, spent, steps = (-1.0, 0.0), None, 0, 0.0, 0
    for _ in range(EPOCHS):
        model.train()
        begin = time.perf_counter()
        for at in np.random.default_rng((seed, steps)).permutation(training):
            loss = nn.functional.binary_cross_entropy_with_logits(model(tensors[at]).reshape(()), targets[at])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        steps, spent = steps + len(training), spent + time.perf_counter() - begin
        schedule.step()
        found = logits_of(model, [tensors[at] for at in validation])
        right = labels[validation]
        rank = (area(found, right), -float(np.logaddexp(0, np.where(right, -found, found)).mean()))
        if rank > best:
            best, kept, since = rank, copy.deepcopy(model.state_dict()), 0
        else:
            since += 1
            if since >= PATIENCE:
                break
    model.load_state_dict(kept)
    return area(logits_of(model, [tensors[at] for at in test]), labels[test]), spent / steps


def main():
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    folder, repetitions = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    for name in ("fox", "tiger", "elephant", "musk1"):
        bags, labels = read(folder / f"{name}.csv.gz", name)
        for title, make in MODELS.items():
            scores, seconds = [], []
            for seed in range(repetitions):
                random, areas = np.random.default_rng(seed), []
                folds = stratified(labels, FOLDS, random)
                for fold in range(FOLDS):
                    rest = np.flatnonzero(folds != fold)
                    inner = stratified(labels[rest], FOLDS - 1, random)
                    split = rest[inner != 0], rest[inner == 0], np.flatnonzero(folds == fold)
                    found, step = train(make, bags, labels, split, seed)
                    areas.append(found)
                    seconds.append(step)
                scores.append(100 * np.mean(areas))
            line = {"set": name, "model": title, "auc": round(float(np.mean(scores)), 2)}
            line |= {"deviation": round(float(np.std(scores)), 2), "step_ms": round(1e3 * float(np.median(seconds)), 3)}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
