"""KC01: requests to Connect's REST API in scripts."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0179", "connect-request-refused", ERROR)
def connect_request_refused(document: Faulty) -> Iterator[Finding]:
    """A script sends a connector to Connect in a form that the REST API refuses.

    POST /connectors reads an object with name and config, PUT /connectors/NAME/config the settings
    alone. A name in the settings must be that of the URL, or the one beside config. Other methods are
    not allowed.

    Bad: name and config
        --- deploy.sh
        curl -X PUT -H 'Content-Type: application/json' -d @rows.json "$CONNECT/connectors/rows/config"
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    Bad: the settings alone
        --- scripts/deploy.sh
        curl -s http://connect:8083/connectors -H 'Content-Type: application/json' --data @connectors/rows.json
        --- connectors/rows.json
        {"name": "rows", "connector.class": "FileStreamSink", "topics": "orders"}
    Bad: the method
        --- deploy.sh
        curl --request POST --data @rows.json http://connect:8083/connectors/rows/config
        --- rows.json
        {"connector.class": "FileStreamSink", "topics": "orders"}
    Bad: another name
        --- deploy.sh
        curl -X PUT http://connect:8083/connectors/rows/config -d '{"name": "row", "connector.class": "FileStreamSink"}'
    Good:
        --- deploy.sh
        curl -X PUT -H 'Content-Type: application/json' -d @rows.json "$CONNECT/connectors/rows/config"
        curl -X POST --json @lines.json http://connect:8083/connectors/
        curl -X PUT http://connect:8083/connectors/rows/pause
        --- rows.json
        {"name": "rows", "connector.class": "FileStreamSink", "topics": "orders"}
        --- lines.json
        {"name": "lines", "config": {"name": "lines", "connector.class": "FileStreamSink", "topics": "lines"}}
    Good: what only the shell knows
        --- deploy.sh
        curl -X PUT -d @"$file" "$CONNECT/connectors/$name/config"
        curl -X PUT -d "$(jq .config rows.json)" "$CONNECT/connectors/rows/config"
        echo "curl -X POST $CONNECT/connectors/rows/config"
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    """
    yield from findings(document, "KC0179")
