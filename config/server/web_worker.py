"""A process of the web server. It takes no more connections than it can answer, so all processes share the work."""

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):
    """gunicorn's process with threads, with two rules about connections.

    A process accepts connections only while one of its threads is free; others wait where all processes look. Without
    this rule the process that wakes first may hold nearly all connections, and the others have nothing to do. While
    all threads are busy, connections are closed after their answer. They come back to whoever is free, behind those who
    have waited longer.
    """

    def notify(self) -> None:
        """Say that the process is alive, and decide about connections; gunicorn calls it in each turn of its loop."""
        super().notify()
        idle = len(self.keepalived_conns) + len(self.pending_conns)
        threads, most = self.cfg.threads, self.cfg.worker_connections
        self.worker_connections = min(most, idle + threads)
        self.max_keepalived = most - threads if self.nr_conns - idle < threads else 0
