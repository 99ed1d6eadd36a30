package viz

import "github.com/expfam/lab/viz/progress"

// Progress returns a function that shows how far long work has come: steps,
// rate, remaining time and a value that the work watches (a loss, a number of
// failures; NaN for none). Call it after each step, and before the first one if
// that takes long; it draws a few times a second at most, and always at the last
// step, step == total.
//
// In a notebook one output is updated in place, in a terminal one line; where
// output goes to a file it prints a plain line for each tenth. It is safe for
// concurrent use and knows nothing about its caller, so that a library takes it
// as a plain func. The line goes to standard error, to which nothing else here writes.
//
// In a notebook expfam.Sample, learn.Train and others show such a bar of their own
// accord where they are given no other.
func Progress(label, value string) func(step, total int, v float64) {
	return progress.New(clean(label), clean(value))
}
