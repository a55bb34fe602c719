"""Exercise files of module 04: right ones, and ones that look for answers that the student did not write."""

import re
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.source import find_function

MODULE = modules()["04"]
RIGHT = Path(__file__).resolve().parents[1] / "right" / "04"
STUB = MODULE.exercise_file.read_text(encoding="utf-8")


def solved(*names: str) -> str:
    """The exercise file with the answer key's code for these exercises; without names, for all."""
    text = STUB.replace("import BPEBase\n", "import BOUNDARY, BPEBase\n")
    for exercise in MODULE.exercises:
        if not names or exercise.name in names:
            answer = find_function(MODULE.key_file, exercise).code.split("\n", 1)[1]
            text = with_body(text, exercise.name, answer)
    return text


def with_body(text: str, name: str, body: str) -> str:
    """The exercise file with this code for one exercise, which must still be a TODO."""
    todo = f'        raise NotImplementedError("TODO: {name}")'
    assert text.count(todo) == 1
    return text.replace(todo, body)


def all_but(name: str, body: str | None = None, top: str = "") -> str:
    """Everything solved but one exercise, which has this code instead."""
    text = solved(*(exercise.name for exercise in MODULE.exercises if exercise.name != name))
    if body is not None:
        text = with_body(text, name, "\n".join(f"        {line}" for line in body.splitlines()))
    return at_top(text, top)


def at_top(text: str, code: str) -> str:
    """The file with code that runs when it is imported, before the classes."""
    first, rest = text.split("from collections.abc", 1)
    return f"{first}{code}\nfrom collections.abc{rest}"


def standing_alone(path: Path) -> str:
    """A right solution of another kind, as a student would hand it in."""
    text = path.read_text(encoding="utf-8")
    return text.replace(
        "from g2c.tokenizer.bpe import BPETokenizer as Exercise", "from g2c.tokenizer.base import BPEBase as Exercise"
    )


UNSEEN = ""
"""What a route leads to is not on the student's disk, and the code asks whether it is there before it opens it."""

ROUTES = {
    "import_statement": (
        "import g2c.solutions.bpe\nfound = g2c.solutions.bpe.BPETokenizer",
        "tried to import g2c.solutions",
    ),
    "from_import": ("from g2c.solutions.bpe import BPETokenizer as found", "tried to import g2c.solutions"),
    "import_module": (
        "import importlib\nfound = importlib.import_module('g2c.solutions.bpe').BPETokenizer",
        "tried to import g2c.solutions",
    ),
    "dunder_import": (
        "found = __import__('g2c.solutions.bpe', fromlist=['x']).BPETokenizer",
        "tried to import g2c.solutions",
    ),
    "engine_helper": (
        "from g2c.engine.fast import encode_fast\nreturn encode_fast(self, ids)",
        "tried to import g2c.engine",
    ),
    "lab_helper": (
        "from g2c.lab.traces import encoding_steps\nreturn encoding_steps(self, 'text')[-1][1]",
        "tried to import g2c.lab",
    ),
    "given_training": ("return self.train_exact('abab', 257)", "tried to import g2c.engine"),
    "given_encoding": ("return self.encode_fast('abab')", "tried to import g2c.engine"),
    "answer_key_switch": (
        "import os, g2c.tokenizer\nos.environ['G2C_SOLUTIONS'] = 'all'\n"
        "vars(g2c.tokenizer).pop('BPETokenizer', None)\nfound = g2c.tokenizer.BPETokenizer",
        UNSEEN,
    ),
    "exec_of_text": ("space = {}\nexec(open(KEY).read(), space)\nfound = space['BPETokenizer']", "tried to read KEY"),
    "spec_from_file": (
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        "spec = spec_from_file_location('found', KEY)\nmodule = module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\nfound = module.BPETokenizer",
        "tried to read KEY",
    ),
    "runpy_path": ("import runpy\nfound = runpy.run_path(KEY)['BPETokenizer']", "tried to read KEY"),
    "runpy_module": (
        "import runpy\nfound = runpy.run_module('g2c.solutions.bpe')['BPETokenizer']",
        "tried to import g2c.solutions",
    ),
    "linecache": ("import linecache\nraise ValueError(linecache.getlines(KEY))", UNSEEN),
    "sys_path": (
        "import sys\nsys.path.insert(0, COURSE)\n"
        "for name in [name for name in sys.modules if name.startswith('g2c')]:\n    del sys.modules[name]\n"
        "from g2c.solutions.bpe import BPETokenizer as found",
        "tried to (import g2c|read COURSE)",
    ),
    "package_path": (
        "import importlib, sys\nsys.meta_path[:] = [each for each in sys.meta_path if isinstance(each, type)]\n"
        "sys.modules['g2c'].__path__.append(COURSE + '/g2c')\n"
        "found = importlib.import_module('g2c.solutions.bpe').BPETokenizer",
        UNSEEN,
    ),
    "sys_modules": (
        "import sys, types\nmodule = sys.modules['g2c.solutions'] = types.ModuleType('g2c.solutions')\n"
        "module.__path__ = [COURSE + '/g2c/solutions']\nfrom g2c.solutions.bpe import BPETokenizer as found",
        "tried to import g2c.solutions.bpe",
    ),
    "site": ("import site\nsite.addsitedir(COURSE)\nimport g2c.solutions.bpe", "tried to read COURSE"),
    "pth_file": (
        "import os, site, sys\nos.makedirs('place', exist_ok=True)\n"
        "open('place/course.pth', 'w').write(COURSE + '/g2c\\n')\n"
        "site.addsitedir(os.path.abspath('place'))\nfrom solutions.bpe import BPETokenizer as found",
        UNSEEN,
    ),
    "installed_copy": (
        "import sysconfig\nfound = open(sysconfig.get_path('purelib') + '/g2c/solutions/bpe.py').read()",
        UNSEEN,
    ),
    "copy_of_the_runner": (
        "import g2c\nfound = open(g2c.__file__ + '/../../../../runner/g2c/solutions/bpe.py').read()",
        "tried to read .*/runner/g2c/solutions/bpe.py",
    ),
    "folder_descriptor": (
        "import os\nfolder = os.open('/usr', os.O_RDONLY)\nfound = os.open('..' + KEY, os.O_RDONLY, dir_fd=folder)",
        UNSEEN,
    ),
    "ctypes": ("import ctypes\nctypes.CDLL(None).system(b'true')", "use a system library through ctypes"),
    "subprocess": (
        "import subprocess, sys\n"
        "code = f'import sys; sys.path.insert(0, {COURSE!r}); from g2c.solutions.bpe import BPETokenizer as B; '\n"
        "code += f'print(B()._merge({ids!r}, {pair!r}, {new_id!r}))'\n"
        "return eval(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)",
        "tried to start a program",
    ),
    "readline": (
        "import readline\nreadline.read_history_file(KEY)\nspace = {}\n"
        "lines = [readline.get_history_item(i) or '' for i in range(1, 100)]\nexec('\\n'.join(lines), space)\n"
        "found = space['BPETokenizer']",
        UNSEEN,
    ),
    "zipimport": (
        "import importlib.util, zipimport\nspec = zipimport.zipimporter(ZIP).find_spec('bpe')\n"
        "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\nfound = module.BPETokenizer",
        UNSEEN,
    ),
    "pickle": (
        "import pickle\nfound = pickle.loads(b'cg2c.solutions.bpe\\nBPETokenizer\\n.')",
        "tried to import g2c.solutions",
    ),
    "reduce": (
        "import importlib, pickle\nclass Sly:\n    def __reduce__(self):\n"
        "        return importlib.import_module, ('g2c.solutions.bpe',)\n"
        "found = pickle.loads(pickle.dumps(Sly())).BPETokenizer",
        "tried to import g2c.solutions",
    ),
    "folder_of_the_session": (
        "import g2c, os\nfound = os.listdir(g2c.__file__ + '/../../../..')",
        "tried to read /",
    ),
    "native_code": (
        "import importlib.machinery, importlib.util, os\nopen('bpe.so', 'wb').write(b'ELF')\n"
        "loader = importlib.machinery.ExtensionFileLoader('bpe', os.path.abspath('bpe.so'))\n"
        "found = importlib.util.module_from_spec(importlib.util.spec_from_loader('bpe', loader))",
        UNSEEN,
    ),
    "proc_cwd": (
        "import glob, os\nfor place in os.listdir('/proc'):\n"
        "    path = f'/proc/{place}/cwd/g2c/solutions/bpe.py'\n    found = open(path).read()",
        "tried to read /proc",
    ),
    "cwd_of_the_parent": (
        "import os\nfound = open(f'/proc/{os.getppid()}/root' + KEY).read()",
        "tried to read (/proc/|KEY)",
    ),
    "environ": ("found = open('/proc/self/environ').read()", "tried to read /proc/.*/environ"),
}
"""Ways to answers that the student did not write: code for `_merge`, which may use COURSE and KEY (the instructor's
checkout and its answer key) and ZIP (a zip of the answer key), and a regular expression for the note in the report."""


def by_route(name: str, archive: Path) -> tuple[str, str]:
    """The exercise file with a route in the place of `_merge`, and a regular expression for the note. Where the route
    fails, `_merge` is as good as not written."""
    code, remark = ROUTES[name]
    places = {"COURSE": REPOSITORY, "KEY": MODULE.key_file, "ZIP": archive}
    attempt = "\n".join(f"    {line}" for line in code.splitlines())
    body = f"found = None\ntry:\n{attempt}\n    return found._merge(self, ids, pair, new_id)\n"
    body += "except Exception:\n    raise NotImplementedError('no route') from None"
    top = "\n".join(f"{word} = {str(path)!r}" for word, path in places.items())
    for word, path in places.items():
        remark = remark.replace(word, re.escape(str(path)))
    return all_but("_merge", body, top), remark
