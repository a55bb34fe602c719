"""Running the course: the list of exercises, the `g2c` command, test reports, notebooks, the scripts' work."""
