"""Calls of the answers in a notebook: what both sides of the wire know of them.

A check calls an answer with arguments, and may put values in the place of global names of the notebook. Both travel
as arguments; those with this prefix are the global names. The answer returns its result and what it printed.
"""

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any

GLOBAL = "global "
"""No name of a parameter begins with it."""
MAX_PRINTED = 20_000
"""Characters of what an answer prints that are sent back."""


class NotebookReference:
    """Stands for the student's notebook in a request.

    Args:
        module: the name under which the student's process imports its code.
    """

    def __init__(self, module: str) -> None:
        self.module = module


class Notebook:
    """In the student's process: the code of a notebook. An attribute calls the answer with that name.

    Args:
        code: the module of `g2c.grading.notebook_code`.
    """

    def __init__(self, code: ModuleType) -> None:
        self._code = code

    def __getattr__(self, name: str) -> Callable[..., list[Any]]:
        function = getattr(self._code, name)

        def answer(*args: Any, **options: Any) -> list[Any]:
            values = {key.removeprefix(GLOBAL): options.pop(key) for key in list(options) if key.startswith(GLOBAL)}
            names = vars(self._code)
            before = {key: names[key] for key in values if key in names}
            names.update(values)
            try:
                with redirect_stdout(io.StringIO()) as output:
                    result = function(*args, **options)
            finally:
                for key in values:
                    names.pop(key, None)
                names.update(before)
            return [result, output.getvalue()[:MAX_PRINTED]]

        return answer
