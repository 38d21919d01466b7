"""The site's critics, asked over OpenAI's protocol with the site's own prompts (`generation/prompts/critics/`).

The model is the one that `MODEL_CRITIC` names at the site, so that a policy is trained towards what the desk ranks by.
It is asked in the same words as at the desk, with the same fence around what strangers and models wrote.
A critic that gives no readable answer gives None: the reply then counts nowhere, and is never given a made-up score.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Template

from openai import OpenAI, OpenAIError
from pydantic import ValidationError

from generation.domain.counterspeech.options import Answer, Quality, SeenIntent, Stance, Toxicity
from providers.prompt_fencing import FENCING_RULE, code_line, fence, nonce_for

PROMPTS = Path(__file__).parent.parent / "prompts" / "critics"
_CRITICS: dict[str, tuple[str, type[Answer]]] = {
    "pc": ("stance", Stance),
    "aq": ("quality", Quality),
    "t": ("toxicity", Toxicity),
    "intent": ("intent", SeenIntent),
}
_AT_ONCE = 8


class CriticsOverHttp:
    """A critic of one part: pc, aq, t or intent."""

    def __init__(self, part: str, url: str, model: str) -> None:
        self._name, self._shape = _CRITICS[part]
        self._model = model
        self._client = OpenAI(base_url=url, max_retries=4, timeout=60.0)
        system, _line, user = (PROMPTS / f"{self._name}.md").read_text(encoding="utf-8").partition("\n---\n")
        self._system, self._user = Template(system), Template(user)
        self._known: dict[tuple[str, str], float | str | None] = {}

    def answers(self, posts: Sequence[str], replies: Sequence[str]) -> list[float | str | None]:
        """Return the critic's value of each reply, in order; None where it gave no readable one."""
        pairs = list(zip(posts, replies, strict=True))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            self._known |= dict(zip(new, threads.map(self._answer, new), strict=True))
        return [self._known[pair] for pair in pairs]

    def _answer(self, pair: tuple[str, str]) -> float | str | None:
        post, reply = pair
        code = nonce_for("", post, reply)
        fenced = {"post": fence(post, code).text, "reply": fence(reply, code, name="argument").text}
        system = self._system.substitute(fenced, rule=FENCING_RULE).strip()
        try:
            answer = self._client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": f"{system}\n\n{code_line(code)}"},
                    {"role": "user", "content": self._user.substitute(fenced).strip()},
                ],
                temperature=0,
                max_tokens=400,
            )
        except OpenAIError as fault:
            raise ConnectionError(f"The critic at {self._client.base_url} gave no answer: {fault}") from fault
        return self._read(answer.choices[0].message.content or "")

    def _read(self, text: str) -> float | str | None:
        start, end = text.find("{"), text.rfind("}")
        try:
            found = self._shape.model_validate(json.loads(text[start : end + 1]))
        except (ValueError, ValidationError, RecursionError):
            return None
        value: float | str = getattr(found, self._name)
        return value
