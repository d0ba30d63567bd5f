"""What a server answers to `GET /models`."""

from __future__ import annotations


def chat_models(listed: object) -> list[str] | None:
    """Return the names of the models that can chat, None when `listed` is no list of models.

    LM Studio and Ollama list models that only embed among the others; their names say so.
    """
    entries = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return [
        file_name(name)
        for name in names
        if isinstance(name, str) and name and "embed" not in name.lower()
    ]


def file_name(model: str) -> str:
    """Return the name of a model that llama-server names by the path of its file."""
    if model.lower().endswith(".gguf"):
        return model.replace("\\", "/").rpartition("/")[2]
    return model
