"""Running the course: the list of exercises, suites and their reports, the `g2c` command, notebooks, the scripts' work.

list        exercises.py             modules and exercises, read from exercises.toml; which of them have the key
            source.py                finds the code of an exercise in a file
            student_code.py          which frames of an error are the student's
            release.py               the repository that students clone (`g2c release`)

suites      teaching.py              what suites are written with; calls.py and comparison.py do its work
            diagnosis/               names the mistake behind a wrong answer
            limits.py                stops endless code
            pytest_plugin.py         selects stubs or key, and prints failures; one_screen.py: in 40 rows
            runner.py                runs suites for the command; suite_process.py: the process

milestones  own_code.py              whether the code in use may make one: it is compared with the engine
            milestone.py             whose code made it
            inventory.py             which corpora and artifacts there are

command     cli.py, commands/        `g2c` and its subcommands; corpus_arguments.py is shared by two of them
            terminal.py, plain.py    how they write and report errors; report_text.py: the lines of a report
            events.py                what `g2c watch` waits for; end_screen.py: what it shows in the end
            state.py                 what is stored between calls; hints.py: which hints were shown

notebooks   notebooks.py             makes exercise notebooks from solutions; their first cells import it
            notebook_answers.py      the checked answers in them; answer_list.py: which there are
            run_notebook.py          executes one

scripts     environment.py           makes .venv
            datasets.py              the command behind datasets.sh
            noteboosh.py             the command behind noteboosh.sh: working copies of notebooks
"""
