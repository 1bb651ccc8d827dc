"""Requests that the schema allows, and some that it does not: each is answered as the schema says."""

from __future__ import annotations

import json
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import allow_header_conformance, positive_data_acceptance

from limbik.service.http import create_app

LOCAL = {"Host": "localhost"}
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(None), headers=LOCAL)


@schemathesis.serializer("application/x-npy")
def as_it_is(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value, default=repr).encode()


def is_name(value: Any) -> bool:
    """Whether it is what the schema takes as a name; else it is what is to be refused."""
    return isinstance(value, str) and 0 < len(value) <= 200


@schema.parametrize()
@settings(
    max_examples=20, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
def test_every_route_answers_as_its_schema_says(case: Any) -> None:
    for part in (case.body, case.query):
        if isinstance(part, dict) and is_name(part.get("robot")):
            part["robot"] = "planar-3"  # or hardly any request would get beyond its name
            if is_name(part.get("world")):
                del part["world"]
    # A request may be of the right form and ask for a joint that is not there; and the router names the
    # methods of one function in `Allow`.
    case.call_and_validate(
        headers=LOCAL, excluded_checks=[positive_data_acceptance, allow_header_conformance]
    )
