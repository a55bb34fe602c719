"""The answer key. Each module defines only what the student writes; everything else comes from the exercise file."""
