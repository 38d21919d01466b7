"""A process of the web server. It takes no more connections than it can answer, so all processes share the work."""

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's process with threads, with two rules about connections.

    A process accepts connections only while one of its threads is free; others wait where all processes look. Without
    this rule the process that wakes first may hold nearly all connections, and the others have nothing to do. While
    requests wait for a thread here, connections are closed after their answer, and come back to whoever is free.
    """

    def notify(self) -> None:
        """Say that the process is alive, and decide about connections; gunicorn calls it in each turn of its loop."""
        super().notify()
        idle = len(self.keepalived_conns) + len(self.pending_conns)
        most: int = self.cfg.worker_connections
        self.worker_connections = min(most, idle + self.cfg.threads)
        is_overloaded = self.nr_conns - idle > self.cfg.threads
        self.max_keepalived = 0 if is_overloaded else most - self.cfg.threads
