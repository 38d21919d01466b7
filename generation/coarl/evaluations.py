"""Evaluations while phase 3 learns: measured on held-out posts, logged, shown, and stopped above the KL's ceiling."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from generation.coarl.ablations import BadModel
from generation.coarl.held_out import HeldOut, evaluate_policy
from generation.coarl.policy import Policy
from generation.coarl.reward_parts import Reward
from generation.coarl.settings_file import Reinforce
from generation.coarl.training_data import Example
from generation.coarl.training_log import TrainingLog, write_plot, write_whole


class Progress:
    """The evaluations of a run. `evaluations.json` keeps them with the reward of every prompt, for paired tests."""

    def __init__(
        self, settings: Reinforce, policy: Policy, examples: Sequence[Example], reward: Reward, other: Reward | None
    ) -> None:
        self._settings, self._policy, self._examples = settings, policy, examples
        self._reward, self._other = reward, other
        self._file = settings.out / "evaluations.json"
        self._rows: list[dict[str, Any]] = []
        self.log: TrainingLog
        self.stopped = ""
        """Why the training was stopped; empty if it was not."""

    def begin(self, step: int) -> None:
        """Begin at a step: measure the policy of phase 2, or drop what was measured after the checkpoint."""
        self.log = TrainingLog(self._settings.out, resumed_from=step)
        if step:
            rows = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else []
            self._rows = [row for row in rows if row["step"] <= step]
        else:
            self.evaluate(0)

    def evaluate(self, step: int) -> bool:
        """Evaluate the policy, append it to the log, print samples. Return whether the training has to stop."""
        found = evaluate_policy(self._policy, self._examples, self._settings, self._reward, self._other)
        self.log.add(step, **{f"{name}@held-out": value for name, value in found.figures.items()})
        kept = found.kl <= self._settings.kl.ceiling
        row: dict[str, Any] = {"figures": dict(found.figures), "by_prompt": list(found.by_prompt)}
        row |= {"other_by_prompt": list(found.other_by_prompt), "samples": list(found.samples)}
        self._rows.append({"step": step, "kept": kept, **row})
        write_whole(self._file, json.dumps(self._rows, ensure_ascii=False, indent=1) + "\n")
        write_plot(self._settings.out, "reinforce: training and held-out posts")
        _print(step, found, self._reward.names)
        if not kept:
            most = self._settings.kl.ceiling
            self.stopped = f"The KL on held-out posts is {found.kl:.2f} at step {step}, above its ceiling of {most:g}."
            print(self.stopped, file=sys.stderr)
        return not kept

    def kept(self, best: dict[str, Any]) -> dict[str, Any]:
        """Return the last adapter below the ceiling. Raises BadModel if there was none."""
        if not best:
            raise BadModel(f"{self.stopped} No earlier policy was below it: learn more slowly, or evaluate more often.")
        return best

    def summary(self) -> dict[str, Any]:
        """Return the figures of the policy of phase 2 and of the policy that is kept."""
        first, last = self._rows[0], [row for row in self._rows if row["kept"]][-1]
        named = {f"{name}_before": value for name, value in first["figures"].items()}
        named |= {f"{name}_after": value for name, value in last["figures"].items()}
        return {**named, "kept_step": last["step"], "stopped": self.stopped or "after all its steps"}


def _print(step: int, found: HeldOut, sources: Mapping[str, str]) -> None:
    figures = ", ".join(f"{name} {value:.3f}" for name, value in found.figures.items())
    print(f"\nstep {step}, held-out: {figures}", file=sys.stderr)
    if any(name.startswith("words") for name in sources.values()):
        print("  The reward counts words: for tests alone, no measure of a reply.", file=sys.stderr)
    for row in found.samples:
        reward = "–" if row["reward"] is None else f"{row['reward']:.2f}"
        print(f"  {row['intent']}, {reward}: {row['reply']}", file=sys.stderr)
