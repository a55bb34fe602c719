"""Running a state machine of hypothesis: a test of random sequences of steps."""

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run_random_steps(
    machine: Callable[[], RuleBasedStateMachine], sequences: int, steps: int, *, shrink: bool = True
) -> None:
    """Run sequences of random steps, which may take any time. Nothing is stored from run to run.

    Args:
        machine: makes the state machine of a sequence.
        sequences: the number of sequences.
        steps: the most steps of one.
        shrink: look for the shortest sequence that fails, which runs many more.
    """
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=sequences,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=list(Phase) if shrink else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
