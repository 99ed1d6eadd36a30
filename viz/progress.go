package viz

import "github.com/expfam/lab/viz/progress"

// Progress returns a function that shows the progress of long work: steps, rate,
// remaining time and a value of the work (a loss, a number of failures; NaN for none).
// Call it after each step, and before the first step if that takes long. It draws at most
// a few times a second, and always at the last step, step == total.
//
// In a notebook it updates one output, and in a terminal one line. If standard error is a
// file it prints a plain line for each tenth. It is safe for concurrent use. The library
// writes nothing else to standard error.
//
// In a notebook diffusion.Sample, learn.Train and other long functions show such a bar by
// default.
func Progress(label, value string) func(step, total int, v float64) {
	return progress.New(clean(label), clean(value))
}
