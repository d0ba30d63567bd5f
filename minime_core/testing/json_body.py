"""JSON as llama.cpp's llama-server writes it, errors included (build of October 2026)."""

from __future__ import annotations

import json
from typing import Any

JSON_TYPE = "application/json; charset=utf-8"

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    501: "not_supported_error",
    503: "unavailable_error",
}


def compact_json(value: Any) -> str:
    """Write JSON without spaces; only what UTF-8 cannot hold (lone surrogates) is escaped."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.encode("utf-8", "backslashreplace").decode("utf-8")


def error_body(code: int, message: str, kind: str | None = None) -> dict[str, Any]:
    """Wrap an error message; the type follows from the status if it is not given."""
    kind = kind or _ERROR_TYPES.get(code, "server_error")
    return {"error": {"code": code, "message": message, "type": kind}}
