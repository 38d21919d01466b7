"""What happens with runs, for listeners that count it. Without a listener a signal costs nothing.

Listeners must not raise and must not use the database; `send_robust` logs the faults of those that do.
"""

from django.dispatch import Signal

call_ended = Signal()
"""A provider was asked. Facts: `run`, `role`, `model` (provider:model), `outcome`, `reply` (None if none came)."""
run_ended = Signal()
"""A worker ended a run. Facts: `run`, `state`, `seconds` of work."""
