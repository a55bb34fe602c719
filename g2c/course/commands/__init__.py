"""The subcommands of `g2c`, a module each. g2c/cli.py lists them and says how to add one."""
