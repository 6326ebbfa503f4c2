#!/usr/bin/env python3
"""Builds the wheel into an environment of its own, and checks it there: tests, examples of the documentation, stubs, types.

    python3 check.py [arguments of pytest]

The environment is `target/python` of the workspace. It is kept until `pyproject.toml` changes. Where packages lie already that
are large to fetch (torch), HFY_SITE_PACKAGES names their folder, and what is there is not fetched again. HFY_WITHOUT names extra
packages to do without, as in HFY_WITHOUT=torch,jax: their tests are then skipped, and say so. With HFY_WITHOUT=burn, or without
torch, the crate hfy-nn is not built to be compared with hfy.torch.nn.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PLACE = TARGET / "python"
PYTHON = PLACE / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MARK = PLACE / "made-from"


def run(*command: object, **settings: object) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, **settings)  # type: ignore[call-overload]


def inside(code: str) -> str:
    """What a program prints in the environment."""
    return subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, text=True).stdout


def wanted() -> list[str]:
    """What the tests need, and what builds the wheel."""
    with open(HERE / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)
    without = missing_frameworks()
    # entmax is nothing without torch.
    without |= {"entmax"} if "torch" in without else set()
    extras = [need for need in project["project"]["optional-dependencies"]["test"] if name(need) not in without]
    return [*project["project"]["dependencies"], *extras, *project["build-system"]["requires"]]


def missing_frameworks() -> set[str]:
    return set(filter(None, os.environ.get("HFY_WITHOUT", "").split(",")))


def name(need: str) -> str:
    return re.split(r"[<>=!~ \[]", need, maxsplit=1)[0]


def make_environment() -> None:
    """An environment with all that is wanted, unless there is one."""
    site = os.environ.get("HFY_SITE_PACKAGES", "")
    made_from = hashlib.sha256("\n".join([*wanted(), site, sys.version]).encode()).hexdigest()
    if MARK.exists() and MARK.read_text() == made_from:
        return
    shutil.rmtree(PLACE, ignore_errors=True)
    venv.create(PLACE, with_pip=True)
    if site:
        packages = Path(inside("import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        (packages / "elsewhere.pth").write_text(site + "\n")
    missing = [need for need in wanted() if not is_there(name(need))]
    run(PYTHON, "-m", "pip", "install", "--quiet", "uv")
    install = [PYTHON, "-m", "uv", "pip", "install", "--python", PYTHON]
    try:
        # Wheels for processors alone are a tenth of the size, but not on every index.
        patience = os.environ | {"UV_HTTP_TIMEOUT": "20"}
        run(*install, "--torch-backend", "cpu", *missing, stderr=subprocess.DEVNULL, env=patience)
    except subprocess.CalledProcessError:
        run(*install, *missing)
    MARK.write_text(made_from)


def is_there(package: str) -> bool:
    found = f"import importlib.metadata as m\ntry: print(m.version({package!r}))\nexcept m.PackageNotFoundError: pass"
    return bool(inside(found).strip())


def install_wheel() -> None:
    """The wheel in the release profile, so that it shares what is compiled with the rest of the workspace."""
    wheels = TARGET / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    maturin = [PYTHON, "-m", "maturin", "build", "--release", "--quiet", "--interpreter", PYTHON, "--out", wheels]
    run(*maturin, "--manifest-path", HERE / "Cargo.toml", cwd=HERE)
    (wheel,) = wheels.glob("hfy-*.whl")
    run(PYTHON, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel)


def build_parity() -> dict[str, str]:
    """The program that test_nn_rust.py compares with, in the profile and with the features that `cargo test --workspace` has."""
    if missing_frameworks() & {"torch", "burn"}:
        return {}
    run("cargo", "build", "--quiet", "--workspace", "--example", "parity", cwd=ROOT)
    return {"HFY_NN_PARITY": str(TARGET / "debug/examples" / ("parity.exe" if os.name == "nt" else "parity"))}


def main() -> None:
    make_environment()
    install_wheel()
    environment = os.environ | build_parity()
    # From elsewhere, so that what is imported is what was installed.
    tests = sys.argv[1:] or [HERE / "tests"]
    run(PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", HERE, *tests, cwd=PLACE, env=environment)
    # Where frameworks are missing, only what needs none has types.
    package = HERE / "python/hfy"
    typed = [package] if not missing_frameworks() - {"burn"} else sorted(package.glob("*.py*"))
    run(PYTHON, "-m", "mypy", "--strict", "--cache-dir", PLACE / "mypy", *typed, cwd=PLACE)
    # Only the compiled module has stubs apart from its source.
    run(PYTHON, "-m", "mypy.stubtest", "hfy._hfy", cwd=PLACE)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
