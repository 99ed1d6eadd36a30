package calibrate

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Repeated has the outcomes of repetitions of an experiment, on several data sets or on several
// splits of one data set. An outcome is the result of one repetition, such as a struct of scores.
type Repeated[T any] struct {
	Each []T // one for each repetition
	// Ratio is the number of cells held out divided by the number of cells seen, for
	// splits of one data set. It is 0 for independent data sets. Splits share data, so their
	// outcomes scatter less than outcomes on new data would. The standard error is therefore
	// √(1/J + Ratio) times the standard deviation over J splits (Nadeau & Bengio 2003).
	Ratio float64
}

// Mean returns the mean over the repetitions of a number, which the function argument of computes
// from each outcome. If the number is a difference of two scores, the standard error is that of the
// difference, in which common variation cancels.
func (r Repeated[T]) Mean(of func(T) float64) Estimate {
	x := make([]float64, len(r.Each))
	for k, one := range r.Each {
		x[k] = of(one)
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return Estimate{mean, sd * math.Sqrt(1/float64(len(x))+r.Ratio), len(x)}
}
