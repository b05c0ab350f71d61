"""A headless Chromium, driven by WebDriver over plain HTTP: nothing to install beside the two."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DRIVER = shutil.which("chromedriver")

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

_SIDEWAYS = """
const boxes = document.querySelectorAll(
  "html, main, .grid .head, .grid .body, .panel .scroll, .detail .content");
return Math.max(...[...boxes].map((box) => box.scrollWidth - box.clientWidth));
"""


class Browser:
    """One window. ``js`` runs a function body in the page and gives what it returns."""

    def __init__(self, profile: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        assert DRIVER and CHROMIUM
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._base = f"http://127.0.0.1:{port}"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        options = {"binary": CHROMIUM, "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        end = time.monotonic() + 30
        while True:
            try:
                made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except OSError:
                if time.monotonic() > end:
                    self._driver.kill()
                    raise
                time.sleep(0.1)
        self._base += f"/session/{made['sessionId']}"

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        try:
            with self._open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def go(self, page: Path, fragment: str = "") -> None:
        """Load a page anew."""
        self._call("POST", "/url", {"url": "about:blank"})
        self._call("POST", "/url", {"url": page.as_uri() + fragment})

    def js(self, body: str, *args: object) -> Any:
        return self._call("POST", "/execute/sync", {"script": body, "args": args})

    def wait(self, expression: str, seconds: float = 30) -> Any:
        """What the expression is, as soon as that is true."""
        end = time.monotonic() + seconds
        while not (found := self.js(f"return {expression}")):
            assert time.monotonic() < end, f"never true: {expression}; {self.errors()}"
            time.sleep(0.03)
        return found

    def keys(self, text: str) -> None:
        """Type into what has the focus."""
        element = self._call("GET", "/element/active")
        (identity,) = element.values()
        self._call("POST", f"/element/{identity}/value", {"text": text})

    def emulate(self, width: int, height: int, scheme: str) -> None:
        self._devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._devtools("Emulation.setEmulatedMedia", features=features)

    def _devtools(self, command: str, **params: Any) -> Any:
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def sideways(self) -> int:
        """By how many pixels the page, or a list or table in it, is wider than its box."""
        return int(self.js(_SIDEWAYS))

    def errors(self) -> list[str]:
        """What the console told since the last time, violations of the page's policy included."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def close(self) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
