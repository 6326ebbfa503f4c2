"""The examples of every docstring run, everything public has one, and the README's snippet runs."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import hfy
from hfy import _hfy

SKIPPED = {"__version__"}
ROOT = Path(__file__).resolve().parents[3]
ADAPTERS = ["hfy.torch", "hfy.torch.lpsmap", "hfy.torch.nn", "hfy.jax"]  # each is there if its framework is


def modules():
    """All whose names are public."""
    found = [hfy, _hfy]
    for name in ADAPTERS:
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            pass  # its own tests say that they are skipped
    return found


def documented():
    """Everything with a docstring of its own, by name."""
    for module in modules():
        for name in sorted(set(module.__all__) - SKIPPED):
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for part, member in vars(thing).items():
                    if not part.startswith("_"):
                        yield f"{module.__name__}.{name}.{part}", member
        if inspect.getdoc(module):
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
        if module is not _hfy
        and name not in SKIPPED
        and name not in {"GraphSolution", "SparseMapSolution", "Recall", "Record", "Report"}  # shown where they are made
        and ">>>" not in (inspect.getdoc(getattr(module, name)) or "")
    ]
    assert not missing


def test_masks_are_explained_wherever_they_are_taken():
    for name, thing in documented():
        text = getattr(thing, "__text_signature__", None) or ""
        if inspect.isfunction(thing):
            text = str(inspect.signature(thing))
        if re.search(r"\bmask\b.*=", text):
            assert re.search("True = (takes part|keep)|mask need not|As for|as for", inspect.getdoc(thing)), name


PAGES = [
    ROOT / "README.md",
    ROOT / "bindings/python/README.md",
    ROOT / "docs/learning.md",
    ROOT / "docs/rationales.md",
    *sorted((ROOT / "docs").glob("from-*.md")),
]


def snippets(page):
    """The blocks of a page, of which each goes on where the one before it ended."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_snippets_of_pages(page, tmp_path, monkeypatch):
    found = snippets(page)
    monkeypatch.chdir(tmp_path)  # for what they write
    assert found
    names = {}
    for snippet in found:
        for package in ["torch", "jax", "entmax"]:
            if re.search(rf"^(import|from) (hfy\.)?{package}\b", snippet, flags=re.M):
                pytest.importorskip(package, reason=f"{page.name} needs {package}")
        exec(compile(snippet, page.name, "exec"), names)
