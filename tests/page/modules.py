"""The page's modules without a browser, under the Node.js that Playwright brings."""

import json
import subprocess
from pathlib import Path
from typing import Any

import playwright

from limbik.app.server import STATIC

NODE = Path(playwright.__file__).parent / "driver" / "node"


class Modules:
    """A process of Node.js in which the page's modules can be imported as `/static/...`."""

    def __init__(self) -> None:
        command = [NODE, Path(__file__).with_name("modules.mjs"), STATIC]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """The result of a JavaScript function of one argument, awaited; both go as JSON."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps([function, argument]), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer.get("result")

    def close(self) -> None:
        self._process.communicate()
