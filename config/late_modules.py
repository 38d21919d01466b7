"""Load heavy modules when they are first used, not when they are imported.

Each command, web server, worker and test pays for what a module imports at its top, whether it uses it or not. The
modules named here are imported as ever (`import numpy as np`), but only a placeholder is bound; the first attribute
that is asked of it loads the module. `from numpy import array` asks for one and loads at once, so code of the site
writes `import numpy`. This is the only place that decides it; Python 3.15 has the same as `lazy import`.

One thread loads at a time, and the others wait until the module is whole. Python's own import locks are not enough:
where several threads import modules that import one another, Python 3.11 stands still now and then, or gives one of
them half a module.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from threading import RLock
from types import ModuleType
from typing import Any

LATE = frozenset(
    {
        # numbers and tables
        *("bm25s", "krippendorff", "numpy", "scipy", "pyarrow", "pyarrow.compute", "pyarrow.parquet"),
        # files, pictures, words
        *("charset_normalizer", "fuzzysearch", "json_repair", "lxml", "lxml.etree", "lxml.html", "pi_heif", "pypdf"),
        *("py3langid", "py3langid.langid", "python_calamine", "regex", "simplemma"),
        *("confusable_homoglyphs.categories", "confusable_homoglyphs.confusables"),
        # other machines; ours derive classes from those of libraries
        *("boto3", "botocore", "botocore.config", "botocore.exceptions", "httpcore2", "httpx2", "redis", "requests"),
        *("celery", "kombu", "kombu.exceptions"),
        *("providers.http.pinned", "providers.http.transport"),
        # what is asked of models, and the forms of their answers
        *("annotation.picture_text.method", "annotation.priors.method", "moderation.domain.predict.perspectives"),
        # what a library imports for its own tests
        "jinja2",
    }
)
"""Modules that starting a process does not need; tests/config/test_late_modules.py holds us to it."""
_FOLLOWED_BY = {"celery": "config.celery"}
"""After `celery`, import `config.celery`, so that tasks use the site's app."""
_waiting = set(LATE)
_one_at_a_time = RLock()


def install() -> None:
    """Have the modules of LATE loaded at their first use. Called once, before anything else is imported."""
    sys.meta_path.insert(0, _Finder())


class _Placeholder(ModuleType):
    """Stands for a module that is not loaded; loads it when it is first asked for something.

    What is set on a placeholder is seen by those who hold it, as tests want it; settings of a library are no use here.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(_loaded(self), name)


def load(*names: str) -> None:
    """Load these modules now. For processes that fork or answer people, so that nobody waits for them later."""
    for name in names:
        module = import_module(name)
        if isinstance(module, _Placeholder):
            _loaded(module)


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Have a late module that is not loaded look as if nobody had imported it.

    For a library that looks into `sys.modules`, and would load what it finds there.
    """
    module = sys.modules.get(name)
    if not isinstance(module, _Placeholder) or "__module__" in module.__dict__:
        yield
        return
    del sys.modules[name]
    try:
        yield
    finally:
        sys.modules.setdefault(name, module)


def _loaded(placeholder: _Placeholder) -> ModuleType:
    """Return the module itself, loaded now if it was not. Raises ImportError if that fails, each time again."""
    own = placeholder.__dict__
    if "__module__" not in own:
        with _one_at_a_time:
            if "__module__" not in own:
                own["__module__"] = _real(placeholder)
    module: ModuleType = own["__module__"]
    return module


def _real(placeholder: _Placeholder) -> ModuleType:
    name = placeholder.__name__
    if sys.modules.get(name) is placeholder:
        _waiting.discard(name)
        del sys.modules[name]
    real = import_module(name)
    for part, value in list(placeholder.__dict__.items()):  # `import lxml.html` has set `html` on the one of lxml
        if isinstance(value, ModuleType) and sys.modules.get(f"{name}.{part}") is value and not hasattr(real, part):
            setattr(real, part, value)
    if follower := _FOLLOWED_BY.get(name):
        import_module(follower)
    return real


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return where the placeholder of a late module comes from; None for other modules and for what is missing."""
        if name in _waiting:
            spec = PathFinder.find_spec(name, path)
            return _of_placeholder(spec) if spec and spec.origin else None
        package = sys.modules.get(name.rpartition(".")[0])
        if isinstance(package, _Placeholder):
            _loaded(package)  # first, as Python does it; it may have loaded this module too
            if (module := sys.modules.get(name)) is not None:
                return _of_present(module)
        return None


def _of_placeholder(spec: ModuleSpec) -> ModuleSpec | None:
    inside = spec.submodule_search_locations
    return spec_from_file_location(
        spec.name, spec.origin, loader=_PlaceholderLoader(), submodule_search_locations=inside
    )


class _PlaceholderLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to the import system, which gives an empty module its name, file and folder."""

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Placeholder


def _of_present(module: ModuleType) -> ModuleSpec:
    """Return where a module comes from that is already there.

    Python does not take the answer of a finder that has loaded the module, but what the module itself says, and would
    run it a second time: code in C, such as that of numpy, breaks then. So the module says the same meanwhile.
    """
    module.__spec__ = spec = ModuleSpec(module.__name__, _Present(module))
    return spec


class _Present(Loader):
    """Gives the import system a module that is already there."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec
