"""SparseMAP over structures that are all listed, solved plainly, and lists of structures."""

import itertools

import numpy as np


def project(vertices, x, own=0.0, rounds=20000):
    """The y = Σ p vertex with the largest x·y + Σ p own - |y|²/2, by Frank-Wolfe: exact steps away from the worst vertex."""
    vertices = np.asarray(vertices, dtype=float)
    own = np.broadcast_to(np.asarray(own, dtype=float), len(vertices))
    weights = np.full(len(vertices), 1 / len(vertices))
    for _ in range(rounds):
        y = weights @ vertices
        gains = vertices @ (x - y) + own
        best, worst = gains.argmax(), np.where(weights > 0, gains, np.inf).argmin()
        if gains[best] - gains[worst] < 1e-14:
            break
        direction = vertices[best] - vertices[worst]
        length = direction @ direction
        step = min(weights[worst], (gains[best] - gains[worst]) / length if length else np.inf)
        weights[best] += step
        weights[worst] -= step
    return weights @ vertices


def assignments(n, rule):
    """The assignments of n binary variables that a rule allows."""
    return [a for a in itertools.product([0.0, 1.0], repeat=n) if rule(a)]


def words(positions, states):
    """All sequences of states, and each as a table of positions times states."""
    found = list(itertools.product(range(states), repeat=positions))
    return found, [np.eye(states)[list(word)].ravel() for word in found]


def trees(n, projective=False, single_root=False):
    """The dependency trees over n words, packed: a row a word, in it its head, for the root the word itself."""
    found = []
    for heads in itertools.product(range(n), repeat=n):
        above = [chain(heads, word) for word in range(n)]
        if None in above or (single_root and sum(heads[w] == w for w in range(n)) != 1):
            continue
        if projective and not all(covers(heads, above, word) for word in range(n)):
            continue
        found.append(np.eye(n)[list(heads)])
    return found


def chain(heads, word):
    """A word and those above it, up to one that hangs on the root; None where there is a cycle."""
    met = [word]
    while heads[word] != word:
        word = heads[word]
        if word in met:
            return None
        met.append(word)
    return met


def covers(heads, above, word):
    """Whether the head of a word is above all words in between; the root is above all."""
    head = heads[word]
    return head == word or all(head in above[w] for w in range(min(head, word) + 1, max(head, word)))
