"""The options of every method about its prompts: the prompt set and its version."""

from pydantic import BaseModel, ConfigDict, Field


class PromptOptions(BaseModel):
    """The base of the options of every method. A run's row has both; requests need neither."""

    model_config = ConfigDict(extra="forbid")

    prompts: str = Field(default="", max_length=40)
    """The name of the prompt set; empty in a request: the project's."""
    prompts_version: str = Field(default="", max_length=20)
    """The version of the set at the start; a request may name the version that it relies on."""
