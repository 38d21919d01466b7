"""Several processes count in files, and a number that is free is used again: sums never fall, files never pile up."""

import subprocess
import sys
from pathlib import Path

import pytest

COUNT = """
import sys
from pathlib import Path
from config.monitoring import counter_files
counter_files.use_folder(Path(sys.argv[1]))
from prometheus_client import CollectorRegistry, Counter
counter = Counter("things", "Things.", ("kind",), registry=CollectorRegistry())
counter.labels("small").inc()
print("counted", flush=True)
sys.stdin.read()
"""
TOTAL = """
import sys
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector
registry = CollectorRegistry()
MultiProcessCollector(registry, path=sys.argv[1])
print(registry.get_sample_value("things_total", {"kind": "small"}))
"""


def counting(folder: Path) -> subprocess.Popen[str]:
    """Start a process that counts one thing and then lives until its input ends."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", COUNT, str(folder)], text=True, **pipes)
    assert process.stdout is not None and process.stdout.readline() == "counted\n"
    return process


def total(folder: Path) -> float:
    return float(subprocess.run([sys.executable, "-c", TOTAL, str(folder)], capture_output=True, check=True).stdout)


def numbers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("counter_*.db"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "metrics"


def test_processes_that_live_together_have_files_of_their_own(folder):
    first, second = counting(folder), counting(folder)
    assert numbers(folder) == ["counter_0.db", "counter_1.db"]
    assert total(folder) == 2
    for process in (first, second):
        process.communicate()


def test_a_killed_process_leaves_its_number_and_its_sum_to_the_next(folder):
    first = counting(folder)
    first.kill()
    first.communicate()
    counting(folder).communicate()
    assert numbers(folder) == ["counter_0.db"]
    assert total(folder) == 2


def test_a_file_has_its_room_on_the_disk_before_anything_is_counted(folder):
    counting(folder).communicate()
    stat = (folder / "counter_0.db").stat()
    assert stat.st_blocks * 512 >= stat.st_size == 2**20


def test_a_file_that_a_power_cut_left_unreadable_is_begun_anew(folder):
    counting(folder).communicate()
    file = folder / "counter_0.db"
    file.write_bytes(file.read_bytes()[:8] + b"\xff" * 200)
    counting(folder).communicate()
    assert total(folder) == 1


FORK = """
import os
if os.fork() == 0:
    counter.labels("small").inc()
    os._exit(0)
os.wait()
"""


def test_a_forked_process_counts_in_files_of_its_own(folder):
    program = COUNT.replace("sys.stdin.read()\n", FORK)
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True, capture_output=True)
    assert numbers(folder) == ["counter_0.db", "counter_1.db"]
    assert total(folder) == 2
