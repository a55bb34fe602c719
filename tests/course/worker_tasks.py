"""What the workers do in the tests of g2c.workers. A module of its own, since every worker imports it."""

import os
import signal
import time

from g2c.errors import CorpusError


def multiplying(factor: int):
    """The function that multiplies a task by `factor`; task 13 kills the worker, and 14 is an error."""

    def work(task: int) -> int:
        if task == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if task == 14:
            raise CorpusError("fourteen")
        print("What is printed does not get between the results.")
        time.sleep(0.01 * (task % 3))
        return factor * task

    return work
