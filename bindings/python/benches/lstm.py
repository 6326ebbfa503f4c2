"""A bidirectional LSTM in PyTorch, forward and backward: 32 sequences of 40 words, 100 numbers to 2 x 200.

    python benches/lstm.py [threads]

The case is that of the crate's benchmark `lstm` (make bench CASES=lstm), which this is to be held against.
"""

from timing import THREADS, best, table  # isort: skip  (first: it sets threads)

import torch

lstm = torch.nn.LSTM(100, 200, bidirectional=True, batch_first=True)
lengths = [1 + at * 78 // 31 for at in range(32)]
words = torch.randn(32, 79, 100)


def even():
    lstm(words[:, :40])[0].sum().backward()


def ragged():
    packed = torch.nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    lstm(packed)[0].data.sum().backward()


def main():
    torch.set_num_threads(int(THREADS))
    times = best({"32 x 40": even, "1 to 79": ragged})
    rows = [(name, [f"{1000 * seconds:.2f} ms"]) for name, seconds in times.items()]
    table(f"torch.nn.LSTM, PyTorch {torch.__version__}, {THREADS} threads", rows, ["a pass, both ways"])


if __name__ == "__main__":
    main()
