"""Progress of long work, as a bar in a terminal and in a notebook."""
from contextlib import contextmanager
@contextmanager
def training_progress(progress, *, total):
    class B:
        def update(self, *a, **k): pass
        def note(self, t): pass
    yield B()
