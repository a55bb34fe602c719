"""Running the course: the list of exercises and hints, the answer key's switch, status, grading."""
