"""What a host says when it fails becomes the error that a user can act on."""

from __future__ import annotations

import json

import pytest

from engine.client import faults
from engine.domain.errors import EngineBusy, EngineMissing, HostUnreachable, ParameterInvalid, PortInUse


def test_a_known_kind_keeps_its_words() -> None:
    body = json.dumps({"error": {"kind": "port_in_use", "message": "Port 8000 is taken.", "remedy": "Use another."}})
    error = faults.from_body(409, body, route="/kvdeck/load")
    assert isinstance(error, PortInUse)
    assert (error.message, error.remedy) == ("Port 8000 is taken.", "Use another.")


@pytest.mark.parametrize("body", ["<html>502 Bad Gateway</html>", "", "[]", '{"error": {"kind": "of_tomorrow"}}'])
def test_a_foreign_body_is_quoted(body: str) -> None:
    error = faults.from_body(502, body, route="/kvdeck/status")
    assert isinstance(error, HostUnreachable)
    assert "502" in error.message
    assert error.details == body


def test_an_unknown_kind_keeps_its_words() -> None:
    error = faults.from_body(400, '{"error": {"kind": "of_tomorrow", "message": "No.", "remedy": "Yes."}}', route="x")
    assert (error.kind, error.message, error.remedy) == ("error", "No.", "Yes.")


def test_a_host_that_ended_with_a_json_error_among_other_lines() -> None:
    line = json.dumps(
        {"error": {"kind": "port_in_use", "message": "Port 8000 belongs to pid 7.", "remedy": "Stop it."}}
    )
    error = faults.from_exit(3, f"starting\n{line}\nnoise\n")
    assert isinstance(error, PortInUse)
    assert "pid 7" in error.message


def test_a_host_without_vllm() -> None:
    error = faults.from_exit(1, "Traceback ...\nModuleNotFoundError: No module named 'vllm'\n")
    assert isinstance(error, EngineMissing)
    assert "make run ENGINE=cpu" in error.remedy


def test_a_killed_host_is_named_by_its_signal() -> None:
    error = faults.from_exit(-9, "last words")
    assert isinstance(error, HostUnreachable)
    assert "SIGKILL" in error.message
    assert error.details == "last words"


def test_openai_errors_before_the_stream() -> None:
    assert isinstance(faults.from_openai(503, '{"error": {"message": "No model is loaded (idle)."}}'), EngineBusy)
    assert isinstance(faults.from_openai(400, '{"error": {"message": "temperature must be ..."}}'), ParameterInvalid)
    assert isinstance(faults.from_openai(401, '{"error": "Unauthorized"}'), HostUnreachable)
