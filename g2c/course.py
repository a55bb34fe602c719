"""Says, to notebooks and tests that were written before version 0.6, where the machine that runs the course is now."""

raise ImportError(
    "g2c.course is now the package coach. Write `coach` in place of `g2c.course` here, and `coach.grading` in place of "
    "`g2c.grading`; or start a new copy of the notebook, such as with ./noteboosh.sh --fresh 04."
)
