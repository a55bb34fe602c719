"""The subcommands of `g2c`, a module each. g2c/course/cli.py lists them and says how to add one."""
