"""Says, to notebooks, tests and commands from before version 0.6, where the machine that runs the course is now."""

raise ImportError(
    "g2c.course is now the package coach. Write `coach` in place of `g2c.course` here, and `coach.grading` in place of "
    "`g2c.grading`; or start a new copy of the notebook, such as with ./noteboosh.sh --fresh 04. If the command g2c "
    "says this, renew it with: python -m coach.setup"
)
