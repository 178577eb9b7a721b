// Command novelbench measures git-novel against plain git (DESIGN 15).
//
//	novelbench [--quick] [--rows P1,P7] [--json] [--reps N] [--dir DIR] [--git-novel PROGRAM]
//
// It builds libraries of 100, 2,000 and 9,999 chapters of about 2,300 characters from generated prose, and measures whole
// processes: git-novel, then its yardstick, then git-novel again, so that both see the same machine. Each figure is the
// median of the repetitions; a ratio is the quotient of two medians. It takes the git-novel on PATH, or else builds one.
//
// It owns the generated prose, the fixtures, the rows and the report. It drives git-novel and git as programs only and
// imports no package of this module: what it times is what a person runs.
//
// The yardsticks of P1 and P7 are `git add` and `git commit` with git's defaults. They are the easier side: by default git
// syncs packs and refs, but not loose objects (core.fsync=committed,-loose-object), so its commit may be gone after a power
// failure, while git-novel syncs everything that it acknowledges. The report says so.
//
// Exit status: 0 every row within its bar, 1 unexpected, 2 usage, 3 a row over its bar, 7 git is missing or failed, 130
// interrupted.
package main
