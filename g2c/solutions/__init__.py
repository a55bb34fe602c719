"""The answer key. Each module here defines only what the student writes; all else comes from the exercise file."""
