"""The claims that a command answers: what the command says, in this process."""

from __future__ import annotations

import io
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout
from tempfile import TemporaryDirectory

from kcheck import coverage
from kcheck.claims import Claim
from kcheck.cli import app, run
from kcheck.counterexamples import Outcome, absent


def told(claim: Claim) -> Outcome:
    """The outcome of a claim that a command answers.

    Words of the command that name a file of the claim stand for it; where none does, the command
    is given the folder of them all.
    """
    words = shlex.split(claim.asked)
    out, err = io.StringIO(), io.StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(out), redirect_stderr(err):
        for path, text in claim.files.items():
            place = os.path.join(folder, *path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
        named = [os.path.join(folder, word) if word in claim.files else word for word in words]
        whole = [folder] if claim.files and named == words else []
        # What is set where kcheck runs has no say in a claim; partition reads no settings.
        alone = [] if words[0] == coverage.PARTITION else ["--isolated"]
        code = app.main([*named, *whole, *alone])
    said = out.getvalue()
    if code != run.CLEAN:
        return Outcome(claim, "", f"exit code {code}: {err.getvalue().strip()}")
    lacking = absent(claim.text, said)
    if lacking:
        return Outcome(claim, "", f"the answer does not say {lacking}")
    return Outcome(claim, claim.text[0])
