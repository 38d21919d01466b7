"""Heavy libraries are loaded when they are first used: a start of the site does without them."""

import ast
import json
import os
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import settings

from config import late_modules

OURS = ("annotation", "config", "generation", "moderation", "providers", "runs", "vocabulary")
OPTIONAL = {
    *("crowdkit", "dashscope", "detoxify", "faiss", "jieba", "kiwipiepy", "nltk", "onnxruntime", "openai", "opencc"),
    *(
        "pandas",
        "rapidocr",
        "rouge_score",
        "sklearn",
        "tokenizers",
        "torch",
        "trafilatura",
        "transformers",
        "wordllama",
    ),
}
"""Loaded by name where they are used, if they are installed at all."""
USED_IN = {
    "annotation.picture_text.method": {
        "annotation.management",
        "annotation.operations",
        "annotation.picture_text",
    },
    "annotation.priors.method": {
        "annotation.management",
        "annotation.operations",
        "annotation.priors",
        "generation.methods",
    },
    "bm25s": {"generation.domain", "moderation.domain"},
    "boto3": {"providers.http"},
    "botocore": set(),
    "botocore.config": {"providers.http"},
    "botocore.exceptions": {"providers.http"},
    "celery": {"annotation.tasks", "config.celery", "config.server", "config.tasks", "runs.queue", "runs.tasks"},
    "charset_normalizer": {"providers.http"},
    "confusable_homoglyphs.categories": {"annotation.domain"},
    "confusable_homoglyphs.confusables": {"annotation.domain"},
    "fuzzysearch": {"moderation.domain"},
    "httpcore2": {"providers.http"},
    "httpx2": {"providers.http", "providers.vendors"},
    "jinja2": set(),
    "json_repair": {"providers.json_pieces"},
    "krippendorff": {"annotation.domain"},
    "kombu": {"config.queues"},
    "kombu.exceptions": {"runs.queue"},
    "lxml": set(),
    "lxml.etree": {"providers.pages"},
    "lxml.html": {"providers.pages"},
    "moderation.domain.predict.perspectives": {
        *("moderation.domain", "moderation.methods", "moderation.models", "moderation.perspectives")
    },
    "numpy": {
        *("annotation.analytics", "annotation.domain", "annotation.media", "generation.coarl"),
        *("generation.counterspeech", "generation.domain", "generation.practice", "moderation.desk"),
        *("moderation.domain", "moderation.perspectives", "providers.vendors"),
    },
    "pi_heif": {"annotation.domain"},
    "providers.http.pinned": {"providers.http"},
    "providers.http.transport": {"providers.http", "providers.search", "providers.vendors"},
    "py3langid": set(),
    "py3langid.langid": {"annotation.domain"},
    "pyarrow": {"annotation.domain", "annotation.releases"},
    "pyarrow.compute": {"annotation.domain"},
    "pyarrow.parquet": {"annotation.domain", "annotation.releases"},
    "pypdf": {"providers.pages"},
    "python_calamine": {"annotation.domain"},
    "redis": {"config.web"},
    "regex": {"annotation.domain", "generation.domain"},
    "requests": {"providers.vendors"},
    "scipy": set(),
    "simplemma": {"annotation.domain"},
}
"""Which of our packages use a late module; the empty ones are imported by libraries only."""
START = """
import json, sys
from config import late_modules
from django.core.management import execute_from_command_line
sys.argv[0] = "manage.py"
try:
    execute_from_command_line(sys.argv)
except SystemExit:
    pass
loaded = [name for name, module in sys.modules.items() if not isinstance(module, late_modules._Placeholder)]
print(json.dumps(loaded))
"""


PAGES_LOAD = {"annotation.priors.method", "charset_normalizer", "moderation.domain.predict.perspectives", "requests"}
"""Late modules that the pages load: `check` reads the addresses of them all."""
ONLY_PAGES_AND_WORKERS_LOAD = {
    *("PIL.Image", "allauth.urls", "celery.app", "kombu.serialization", "moderation.methods.registry", "pydantic"),
    *("generation.counterspeech.personal_data", "moderation.desk.decide", "rest_framework.views"),
}
"""Half of the time of a start, before this was so."""


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (("check",), late_modules.LATE - PAGES_LOAD),
        (("diffsettings",), late_modules.LATE | ONLY_PAGES_AND_WORKERS_LOAD),
        (("import_items", "--help"), late_modules.LATE),
    ],
)
def test_a_command_starts_without_heavy_modules(command: tuple[str, ...], without: set[str]) -> None:
    run = [sys.executable, "-c", START, *command]
    output = subprocess.run(run, cwd=settings.BASE_DIR, check=True, capture_output=True, text=True).stdout
    loaded = set(json.loads(output.splitlines()[-1]))
    assert "annotation.models" in loaded
    assert loaded & (without | OPTIONAL) == set()


def test_the_database_loads_no_numpy_with_the_first_number() -> None:
    """psycopg loads it if it finds it imported."""
    imports = "import numpy; import config.postgresql.base; from psycopg import sql"
    check = "print(sql.Literal(1).as_string(None), isinstance(sys.modules['numpy'], late_modules._Placeholder))"
    script = f"import sys; from config import late_modules, settings; {imports}; {check}"
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    run = [sys.executable, "-c", script]
    output = subprocess.run(run, cwd=settings.BASE_DIR, env=environ, check=True, capture_output=True, text=True).stdout
    assert output.split() == ["1", "True"]


def test_a_hidden_module_is_back_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = late_modules._Placeholder("waits_here")
    monkeypatch.setitem(sys.modules, "waits_here", waiting)
    with late_modules.hidden("waits_here"), late_modules.hidden("json"), late_modules.hidden("nobody_has_this"):
        assert "waits_here" not in sys.modules
        assert sys.modules["json"] is json
    assert sys.modules["waits_here"] is waiting
    assert "nobody_has_this" not in sys.modules


def test_it_is_written_down_where_each_late_module_is_used() -> None:
    used: dict[str, set[str]] = {name: set() for name in late_modules.LATE}
    for app in OURS:
        for path in (Path(settings.BASE_DIR) / app).rglob("*.py"):
            package = ".".join(path.relative_to(settings.BASE_DIR).with_suffix("").parts[:2])
            for name in _imported(path) & late_modules.LATE:
                used[name].add(package)
    assert used == USED_IN


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


_FIRST = {
    "numpy.testing": "import numpy.testing; numpy.testing.assert_equal(1, 1)",
    "numpy._core.multiarray": "import numpy._core.multiarray, numpy.linalg; numpy.zeros(2)",
    "pyarrow": "pyarrow.table({'a': [1.5, 2]}).column('a').to_numpy()",
    "scipy.special": "import scipy.special; scipy.special.expit(0.0)",
    "lxml.etree": "import lxml.etree, lxml.html; lxml.html.fromstring('<p>a')",
    "botocore.config": "import botocore.config, boto3; botocore.config.Config()",
}
"""What a process may do before anything else with a late library."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package whose loading is seen in `loaded_late` of this module, with a late and an early module inside."""
    folder = tmp_path / "heavy_sample"
    folder.mkdir()
    (folder / "__init__.py").write_text("import time\nfrom heavy_sample import early\ntime.sleep(0.05)\nlast = 7\n")
    (folder / "early.py").write_text("times = []\ntimes.append('early')\n")
    (folder / "inner.py").write_text("import heavy_sample\nvalue = heavy_sample.last + 1\n")
    names = ("heavy_sample", "heavy_sample.inner")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(late_modules, "_waiting", set(names))
    for name in (*names, "heavy_sample.early"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "heavy_sample"


def test_a_late_module_is_loaded_by_the_first_thing_asked_of_it(package: str) -> None:
    import heavy_sample
    import heavy_sample.inner as inner

    assert "heavy_sample.early" not in sys.modules
    assert inner.value == 8
    assert (heavy_sample.last, heavy_sample.early.times) == (7, ["early"])
    assert not isinstance(sys.modules[package], late_modules._Placeholder)


def test_a_module_inside_a_late_package_is_loaded_once_with_its_package(package: str) -> None:
    import heavy_sample
    import heavy_sample.early as early

    assert early is sys.modules["heavy_sample.early"] is heavy_sample.early
    assert early.times == ["early"] and early.__spec__.loader.name == "heavy_sample.early"


def test_a_module_inside_a_late_package_runs_once_however_it_is_first_asked_for(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heavy_sample" / "early.py").write_text("from counted_runs import names\nnames.append(__name__)\n")
    (tmp_path / "counted_runs.py").write_text("names = []\n")
    for name in ("heavy_sample", "heavy_sample.early"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import_module("heavy_sample")
    early = import_module("heavy_sample.early")
    assert import_module("counted_runs").names == ["heavy_sample.early"]
    assert early is sys.modules["heavy_sample"].early is sys.modules["heavy_sample.early"]
    assert early.__spec__ is not None and type(early.__spec__.loader).__name__ == "SourceFileLoader"


@pytest.mark.parametrize("first", sorted(_FIRST))
def test_a_library_is_whole_whatever_is_first_asked_of_it(first: str) -> None:
    """Libraries with code in C ask for their insides first, such as pyarrow for those of numpy."""
    script = f"import config, {first.partition('.')[0]}\n{_FIRST[first]}\nimport bm25s, krippendorff, scipy.stats"
    subprocess.run([sys.executable, "-c", script], cwd=settings.BASE_DIR, check=True, timeout=120)


def test_a_package_that_is_loaded_keeps_the_parts_that_were_imported_before(package: str) -> None:
    """Whoever imports a part later finds it in the package, as with `import lxml.html` after `lxml` was used."""
    import heavy_sample.inner

    held = heavy_sample.inner
    assert heavy_sample.last == 7
    assert sys.modules[package].inner is held
    assert sys.modules[package].inner.value == 8


def test_threads_that_ask_at_once_see_a_whole_module(package: str) -> None:
    import heavy_sample

    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(heavy_sample.last)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [7] * 8


def test_threads_load_late_modules_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 stands still, or gives a thread half a module, where several import what imports one another."""
    names = ("slow_one", "slow_two", "slow_three")
    (tmp_path / "slow_steps.py").write_text("steps = []\n")
    for name in names:
        body = f"import time, slow_steps\nslow_steps.steps.append('{name}')\ntime.sleep(0.1)\n"
        (tmp_path / f"{name}.py").write_text(f"{body}slow_steps.steps.append('{name}')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(late_modules, "_waiting", set(names))
    modules = [import_module(name) for name in names]
    threads = [threading.Thread(target=getattr, args=(module, "time")) for module in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps = import_module("slow_steps").steps
    assert len(steps) == 6 and steps[::2] == steps[1::2]  # each has begun and ended before the next


def test_a_process_may_load_late_modules_before_somebody_waits_for_them(package: str) -> None:
    late_modules.load(package, "heavy_sample.inner", "json")
    assert sys.modules["heavy_sample.early"].times == ["early"]
    late_modules.load(package)
    assert sys.modules["heavy_sample.early"].times == ["early"]


def test_what_a_test_puts_in_place_of_a_part_is_taken_away_again(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import heavy_sample

    with monkeypatch.context() as patch:
        patch.setattr(heavy_sample, "last", 9)
        assert heavy_sample.last == 9
    assert heavy_sample.last == sys.modules[package].last == 7


def test_a_late_module_that_is_not_installed_is_missed_at_its_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_modules, "_waiting", {"not_installed_anywhere"})
    with pytest.raises(ModuleNotFoundError):
        import not_installed_anywhere  # noqa: F401, PLC0415
