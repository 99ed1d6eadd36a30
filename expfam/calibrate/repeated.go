package calibrate

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Repeated are the outcomes of repetitions of an experiment: data sets, or splits of
// one. An outcome is whatever the experiment finds, such as a struct of scores.
type Repeated[T any] struct {
	Each []T // one for each repetition
	// Ratio is of cells held out to cells seen for splits of one data set, and 0
	// for independent data sets. Splits share data, and scatter less than new
	// data would: standard errors are √(1/J + Ratio) times the standard
	// deviation over J splits (Nadeau & Bengio 2003).
	Ratio float64
}

// Mean is the mean of a number of the outcomes over the repetitions. The mean of a
// difference has the standard error of the difference, as what repetitions share
// cancels.
func (r Repeated[T]) Mean(of func(T) float64) Estimate {
	x := make([]float64, len(r.Each))
	for k, one := range r.Each {
		x[k] = of(one)
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return Estimate{mean, sd * math.Sqrt(1/float64(len(x))+r.Ratio), len(x)}
}
