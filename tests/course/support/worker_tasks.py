"""What the workers do in the tests of workers.py and cluster.py: a module that every worker imports."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from g2c.common.errors import CorpusError
from g2c.corpus.shard_encoder import Settings, ShardResult, shard_encoder
from g2c.corpus.shards import Shard


def multiplying(factor: int):
    """The function that multiplies a task by `factor`; task 13 kills the process, and 14 is an error."""

    def work(task: int) -> int:
        if task == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if task == 14:
            raise CorpusError("fourteen")
        print("What is printed does not get between the results.")
        time.sleep(0.01 * (task % 3))
        return factor * task

    return work


def logging_encoder(log: Path, job: tuple[Settings, bool]) -> Callable[[Shard], ShardResult]:
    """`shard_encoder`, which adds the ID of the process and the place of each shard to a file.

    While there is a file with the name of the log and .kill, the process that takes it away is killed in the middle of
    a shard, and one with .slow makes each shard take a moment.
    """
    encode = shard_encoder(job)

    def work(shard: Shard) -> ShardResult:
        with log.open("a") as file:
            file.write(f"{os.getpid()} {shard.location}\n")
        if len(log.read_text().splitlines()) > 8:
            try:
                log.with_suffix(".kill").unlink()
            except FileNotFoundError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        if log.with_suffix(".slow").exists():
            time.sleep(0.02)
        return encode(shard)

    return work


def encoder_elsewhere(what: str, job: tuple[Settings, bool]) -> Callable[[Shard], ShardResult]:
    """`shard_encoder` as on a machine that does not share a folder with the others, or not the same one."""
    encode = shard_encoder(job)

    def work(shard: Shard) -> ShardResult:
        path, begin, end = shard.text
        if what == "no corpus":
            shard = replace(shard, text=(Path("nowhere"), begin, end))
        if what == "another corpus":
            shard = replace(shard, text=(path, begin + 1, end))
        return encode(shard)

    return work
