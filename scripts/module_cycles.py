#!/usr/bin/env python3
"""Fails when modules of a crate use one another in a circle.

    python3 scripts/module_cycles.py crates/hfy [crates/...]

A module is a file or a folder in src; it uses another where its code, tests and comments apart, names `crate::OTHER`,
or something that the root of the crate exports from there.
"""

import re
import sys
from pathlib import Path


def code(path):
    """The lines of a file that are neither tests nor comments."""
    text = path.read_text().split("#[cfg(test)]")[0]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def named(text):
    """The first names after `crate::`, alone or in braces."""
    for match in re.finditer(r"crate::(?:(\w+)|\{)", text):
        if match[1]:
            yield match[1]
            continue
        depth, name = 1, ""
        for letter in text[match.end() :]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 1 and letter == "," or depth == 0:
                yield re.match(r"\s*(\w*)", name)[1]
                name = ""
            else:
                name += letter
            if depth == 0:
                break


def uses(crate):
    """For each module, the modules that it uses, each with a file that does."""
    source = Path(crate) / "src"
    modules = {path.stem for path in source.iterdir()} - {"lib", "main"}
    exported = {}
    for match in re.finditer(r"^pub use (\w+)::(\{[^}]*\}|\w+);", code(source / "lib.rs"), re.MULTILINE):
        exported.update(dict.fromkeys(re.findall(r"\w+", match[2]), match[1]))
    graph = {module: {} for module in modules}
    for path in sorted(source.rglob("*.rs")):
        module = path.relative_to(source).parts[0].removesuffix(".rs")
        if module in modules:
            for name in named(code(path)):
                other = exported.get(name, name)
                if other in modules and other != module:
                    graph[module].setdefault(other, path)
    return graph


def cycle(graph):
    """The modules of a circle, the first one twice; nothing if there is none."""
    done = set()

    def visit(module, path):
        if module in path:
            return path[path.index(module) :] + [module]
        if module not in done:
            for other in sorted(graph[module]):
                found = visit(other, path + [module])
                if found:
                    return found
            done.add(module)
        return []

    for module in sorted(graph):
        found = visit(module, [])
        if found:
            return found
    return []


def main(crates):
    status = 0
    for crate in crates:
        graph = uses(crate)
        found = cycle(graph)
        for module, other in zip(found, found[1:]):
            print(f"{crate}: {module} uses {other}, in {graph[module][other]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
