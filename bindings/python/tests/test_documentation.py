"""The examples of every docstring run, everything public has one, and the README's snippet runs."""

import doctest
import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import hfy
from hfy import _hfy

SKIPPED = {"__version__"}
OF_FRAMEWORKS = {"hfy.torch.nn": "torch"}


def modules():
    """All public modules, without those of frameworks that are not installed."""
    there = [name for name, framework in OF_FRAMEWORKS.items() if importlib.util.find_spec(framework)]
    return [hfy, *map(importlib.import_module, there)]


def documented():
    """Everything with a docstring of its own, by name."""
    for module in (*modules(), _hfy):
        for name in sorted(set(module.__all__) - SKIPPED):
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for part, member in vars(thing).items():
                    if not part.startswith("_"):
                        yield f"{module.__name__}.{name}.{part}", member
        yield module.__name__, module


@pytest.mark.parametrize("name, thing", list(documented()), ids=lambda part: part if isinstance(part, str) else "")
def test_docstring(name, thing):
    text = inspect.getdoc(thing)
    assert text and len(text) > 10, f"{name} has no docstring"
    examples = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(examples)
    assert runner.failures == 0


def test_public_functions_and_classes_have_examples():
    missing = [
        f"{module.__name__}.{name}"
        for module in modules()
        for name in module.__all__
        if name not in SKIPPED
        and name not in {"GraphSolution", "SparseMapSolution", "Recall", "Report"}  # shown where they are made
        and ">>>" not in (inspect.getdoc(getattr(module, name)) or "")
    ]
    assert not missing


def test_masks_are_explained_wherever_they_are_taken():
    for name, thing in documented():
        text = getattr(thing, "__text_signature__", None) or ""
        if "mask=" in text:
            assert re.search("True = (takes part|keep)|mask need not|As for|as for", inspect.getdoc(thing)), name


def test_the_snippet_of_the_readme():
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text()
    snippets = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    assert snippets
    for snippet in snippets:
        if "import torch" in snippet:
            pytest.importorskip("torch", reason="torch is not installed, so a snippet of the README does not run")
        exec(compile(snippet, "README.md", "exec"), {})
