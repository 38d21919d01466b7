"""Print the files of tests that a change reaches (`make changed`).

A test reaches the modules that it imports, the views whose URL names and the commands whose names it writes, the
package that its folder is named after (`tests/annotation/mail/` → `annotation.mail`), and all that these import. A
template changes the modules that write its name or that of a template around it. What nothing imports (settings of
tools, catalogues, prompts) is named: `make test` tries it.
"""

import argparse
import ast
import importlib
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
BY_NAME = {"annotation.domain.questions.kinds.registry": "annotation.domain.questions.kinds"}
"""Modules that load those of a package by their names, which no import says."""
APPS = ("annotation", "config", "generation", "moderation", "providers", "runs", "vocabulary")


def changed_files(since: str) -> list[str]:
    """Return what differs from where the branch left `since`, with what is not committed and what is new."""
    start = _git("merge-base", since, "HEAD")[0]
    return sorted({*_git("diff", "--name-only", start), *_git("ls-files", "--others", "--exclude-standard")})


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def reached(changed: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the files of tests that a change of these files reaches, and the files of which nobody can say."""
    graph, tests, modules, unknown = product_graph(), set[str](), set[str](), []
    for file in changed:
        found = {test for test in test_files() if file == test or file in sources_of(test)}
        there = set() if file.startswith("tests/") else modules_of(file)
        tests |= found
        modules |= there
        if not found and not there & graph.modules and (ROOT / file).exists():
            unknown.append(file)
    affected = modules.union(*(graph.find_downstream_modules(module) for module in modules & graph.modules))
    packages = {".".join(parts[:depth]) for parts in map(_parts, affected) for depth in range(2, len(parts) + 1)}
    tests |= {test for test in test_files() if affected & modules_named_by(test) or _mirrored(test) in packages}
    return sorted(tests), unknown


def _parts(module: str) -> list[str]:
    return module.split(".")


def _mirrored(test: str) -> str:
    return ".".join(Path(test).parent.parts[1:])


@cache
def product_graph() -> grimp.ImportGraph:
    """Return who imports whom."""
    graph = grimp.build_graph(*APPS, exclude_type_checking_imports=True, cache_dir=str(ROOT / "var/tests/imports"))
    for registry, package in BY_NAME.items():
        for module in graph.find_children(package) - {registry}:
            graph.add_import(importer=registry, imported=module)
    return graph


@cache
def test_files() -> list[str]:
    """Return all files of tests."""
    return [file for file in _python_files() if file.startswith("tests/") and Path(file).name.startswith("test_")]


@cache
def _python_files() -> list[str]:
    files = _git("ls-files", "--cached", "--others", "--exclude-standard", "*.py")
    return [file for file in files if (ROOT / file).exists()]


def modules_of(file: str) -> set[str]:
    """Return the module that a file is; of a template the modules that write its name."""
    if file.endswith(".py"):
        return {_module(file)}
    names = _with_those_around(file.removeprefix("templates/")) if file.startswith("templates/") else set()
    product = (python for python in _python_files() if python.startswith(APPS))
    return {_module(python) for python in product if names & texts(python)} if names else set()


def _with_those_around(template: str) -> set[str]:
    """Return the names of a template and of those that include or extend it, at one remove or more."""
    found, waiting = {template}, [template]
    while waiting:
        name = waiting.pop()
        new = {other for other, text in _templates().items() if f'"{name}"' in text} - found
        found |= new
        waiting += new
    return found


@cache
def _templates() -> dict[str, str]:
    files = _git("ls-files", "--cached", "--others", "--exclude-standard", "templates")
    there = [ROOT / file for file in files if (ROOT / file).exists()]
    return {str(path.relative_to(ROOT / "templates")): path.read_text(encoding="utf-8") for path in there}


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def modules_named_by(test: str) -> set[str]:
    """Return the modules of the product that a test or what it imports names: by import, URL name or command."""
    modules = set[str]()
    for file in (test, *sources_of(test)):
        modules |= _imports(file)
        for text in texts(file):
            modules |= named_modules().get(text, set())
    return modules


@cache
def sources_of(test: str) -> set[str]:
    """Return the files of tests/support that a file of tests imports, at one remove or more, and its conftest.py."""
    found = {str(folder / "conftest.py") for folder in Path(test).parents if folder.is_relative_to("tests/")}
    found = {file for file in found if file != "tests/conftest.py" and (ROOT / file).exists()}
    waiting = [test, *found]
    while waiting:
        for module in _imports(waiting.pop()):
            path = "tests/support/" + module.replace(".", "/")
            new = {file for file in (f"{path}.py", f"{path}/__init__.py") if (ROOT / file).exists()} - found
            found |= new
            waiting += new
    return found


@cache
def _imports(file: str) -> set[str]:
    modules = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


@cache
def texts(file: str) -> set[str]:
    """Return the texts in quotation marks in a file."""
    constants = (node for node in ast.walk(_tree(file)) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


@cache
def named_modules() -> dict[str, set[str]]:
    """Return the modules that are reached by a name: views by that of their URL, commands by their own."""
    modules = defaultdict(set)
    for name, module in _views(importlib.import_module("django.urls").get_resolver(), ""):
        modules[name].add(module)
    for file in _python_files():
        if "/management/commands/" in file:
            modules[Path(file).stem].add(_module(file))
    return modules


def _views(resolver: object, namespace: str) -> Iterator[tuple[str, str]]:
    for pattern in resolver.url_patterns:  # type: ignore[attr-defined]
        if hasattr(pattern, "url_patterns"):
            yield from _views(pattern, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)
        elif pattern.name:
            view = pattern.callback
            yield namespace + pattern.name, getattr(view, "view_class", getattr(view, "cls", view)).__module__


def main() -> None:
    """Print the files of tests, and on the other channel what nobody can say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("since", nargs="?", default="main")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_for_tests")
    sys.path.insert(0, str(ROOT))
    importlib.import_module("django").setup()
    tests, unknown = reached(changed_files(parser.parse_args().since))
    print(f"{len(tests)} of {len(test_files())} files of tests are reached.", file=sys.stderr)
    if unknown:
        print("Not by imports, so try make test:", *unknown, sep="\n  ", file=sys.stderr)
    print(*tests, sep="\n")


if __name__ == "__main__":
    main()
