"""Entries take turns, so that a noisy moment of the machine spoils one round of each rather than all rounds of one."""

import statistics


class Entry:
    """An engine in a test.

    run     makes a run; gives its times, µs per step by what they are of, and what came out
    result  says in words what came out
    """

    def __init__(self, test, engine, run, result):
        self.test, self.engine, self.run, self.result = test, engine, run, result


def hold(entries, rounds):
    """Gives a row for each entry: test, engine, times, result."""
    times = [[] for _ in entries]
    results = [None for _ in entries]
    for number in range(rounds):
        for place, entry in enumerate(entries):
            taken, outcome = entry.run()
            times[place].append(taken)
            if number == 0:
                results[place] = entry.result(outcome)
    return [
        (entry.test, entry.engine, summary(taken), result) for entry, taken, result in zip(entries, times, results)
    ]


def summary(times):
    """Median and fastest of all rounds."""
    columns = {what: [taken[what] for taken in times] for what in times[0]}
    return ", ".join(
        f"{statistics.median(column):.1f} ({min(column):.1f}) {what}" for what, column in columns.items()
    )
