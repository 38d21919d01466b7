"""A Redis of a test's own, which it may kill."""

import shutil
import subprocess
import tempfile

from worker_processes import free_port, listens, wait_until


class Redis:
    """One server on a free port, which keeps nothing on the disk."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="redis-")
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        self.process = subprocess.Popen([*command, "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
        wait_until(lambda: listens(self.port), "Redis", 30)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def flush(self) -> None:
        subprocess.run(["redis-cli", "-p", str(self.port), "FLUSHALL"], check=True, stdout=subprocess.DEVNULL)

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
