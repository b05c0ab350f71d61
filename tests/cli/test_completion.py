"""Shell completion, asked as a shell asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; sys.argv[0] = 'kcheck'; from kcheck.__main__ import main; sys.exit(main())"


def offered(line: str) -> list[str]:
    words = line.split(" ")
    asked = {
        "_KCHECK_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("kcheck li", ["lint", "limits"]),
        ("kcheck explain min-isr-e", ["min-isr-eq-rf"]),
        ("kcheck lint --fail-on w", ["warning"]),
        ("kcheck lint --select KC03,drif", ["KC03,drift"]),
        ("kcheck lint --output sar", ["sarif"]),
        ("kcheck lint --since-", ["--since-state"]),
    ],
)
def test_what_a_shell_offers(line: str, words: list[str]) -> None:
    assert offered(line) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("kcheck show con", ["controller", "consumer", "connector"]),
        ("kcheck show topic le", ["ledger-entries"]),
        ("kcheck show producer che", ["checkout"]),
        ("kcheck show --cluster pa", ["payments"]),
        ("kcheck limits --cluster pa", ["payments"]),
        ("kcheck partition alice --topic or", ["orders"]),
        ("kcheck schema decl", ["declaration"]),
    ],
)
def test_names_of_the_project_in_the_current_folder(
    line: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2] / "fixtures" / "payments")
    assert offered(line) == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--show-completion", shell],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_KCHECK_COMPLETE" in done.stdout
