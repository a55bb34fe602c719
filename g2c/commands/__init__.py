"""The `g2c` command: the subcommands that coach/cli.py has for every course, and those about tokenizers.

own_code.py     makes a milestone, once the suite of its module passes
milestone.py    says whose code made an artifact
disk.py         what `g2c status` says of corpora and artifacts
datasets.py     fetches corpora, for datasets.sh and noteboosh.sh
train.py, encode.py, join.py, verify.py, show.py, generate.py: the subcommands
"""

from coach.cli import Command
from coach.cli import main as run_course
from g2c import __version__

ADDED = {
    "status": Command(
        "coach.commands.status",
        "list the modules, with what your last tests showed, your corpora and artifacts, and what is next",
    ),
    "lab": Command("g2c.lab.command", "see your saved tokenizers at work in a browser, beside published ones"),
    "train": Command(
        "g2c.commands.train", "train a tokenizer and save it: one of the course's own, or one for any corpus", "anyone"
    ),
    "encode": Command("g2c.commands.encode", "encode a corpus of any size as token IDs, on all cores", "anyone"),
    "join": Command(
        "g2c.commands.join",
        "put artifacts of one tokenizer together, such as parts that several machines encoded",
        "anyone",
    ),
    "verify": Command("g2c.commands.verify", "check a saved tokenizer and its token IDs", "anyone"),
    "show": Command(
        "g2c.commands.show", "split a text with a saved tokenizer and show the tokens in color", "anyone", True
    ),
    "generate": Command(
        "g2c.commands.generate",
        "let your language model write, from the token IDs of a saved tokenizer",
        "anyone",
        True,
    ),
}
"""Name -> subcommand that this course adds to those of coach, or whose help says more."""


def main(argv: list[str] | None = None) -> int:
    """Run `g2c` with these arguments, by default those of the process. Returns the exit code."""
    return run_course(argv, "g2c", __version__, ADDED)
