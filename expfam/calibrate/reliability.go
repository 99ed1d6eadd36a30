package calibrate

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
)

// Reliability is a calibration curve: the share of events among cases of each predicted probability, as the isotonic
// function that is closest to the data (Dimitriadis, Gneiting & Jordan 2021, PNAS 118). It needs no bins. A forecast
// that is calibrated has a curve inside of the consistency band around the diagonal, point by point with probability
// Level.
type Reliability struct {
	X, Y      []float64 // predicted probability, ascending, and share of events
	Low, High []float64 // the consistency band at X
	Level     float64
	// The mean Brier score of the forecasts is Miscalibration − Discrimination + Uncertainty, for each trial.
	Brier, Miscalibration, Discrimination, Uncertainty float64
}

// resamples is the number of simulated data sets of a consistency band without replicates.
const resamples = 1000

// Reliability makes the curve with a band of a level, such as 0.9.
func (f *Forecast) Reliability(level float64, seed uint64) (*Reliability, error) {
	n := len(f.Prob)
	if n < 2 || len(f.Events) != n || len(f.Trials) != n {
		return nil, fmt.Errorf("calibrate: reliability: %d probabilities, %d events and %d trials; give one of each "+
			"for at least 2 data", n, len(f.Events), len(f.Trials))
	}
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("calibrate: reliability: level %v; give one between 0 and 1, such as 0.9", level)
	}
	for i := range n {
		if p, k, m := f.Prob[i], f.Events[i], f.Trials[i]; !(p >= 0 && p <= 1) || !(m > 0) || !(k >= 0 && k <= m) {
			return nil, fmt.Errorf("calibrate: reliability: datum %d has probability %g and %g events of %g; give a "+
				"probability in [0, 1] and events of a positive number of trials", i, p, k, m)
		}
	}
	order := ordered(f.Prob)
	r := &Reliability{Level: level}
	var at []int // the place on the curve of each datum; data of equal probability share one
	for k, i := range order {
		if k == 0 || f.Prob[i] != f.Prob[order[k-1]] {
			r.X = append(r.X, f.Prob[i])
		}
		at = append(at, len(r.X)-1)
	}
	trials := make([]float64, len(r.X))
	for k, i := range order {
		trials[at[k]] += f.Trials[i]
	}
	curve := func(events func(i int) float64) []float64 {
		share := make([]float64, len(r.X))
		for k, i := range order {
			share[at[k]] += events(i) / trials[at[k]]
		}
		return isotonic(share, trials)
	}
	r.Y = curve(func(i int) float64 { return f.Events[i] })
	r.score(f, order, at)
	times := resamples
	if f.Replicates != nil {
		draws, data := f.Replicates.Dims()
		if data != n || float64(draws) < 2/(1-level) {
			return nil, fmt.Errorf("calibrate: reliability: %d replicates of %d data for %d data; give at least %.0f "+
				"of each datum", draws, data, n, 2/(1-level))
		}
		times = draws
	}
	rng := expfam.Stream(seed, "reliability")
	all := make([][]float64, len(r.X))
	for t := range times {
		for k, v := range curve(func(i int) float64 {
			if f.Replicates != nil {
				return f.Replicates.At(t, i)
			}
			return distuv.Binomial{N: f.Trials[i], P: f.Prob[i], Src: rng}.Rand()
		}) {
			all[k] = append(all[k], v)
		}
	}
	for _, v := range all {
		slices.Sort(v)
		ends := type6(v, level)
		r.Low, r.High = append(r.Low, ends[0]), append(r.High, ends[1])
	}
	return r, nil
}

// score computes the Brier score of single trials and its parts.
func (r *Reliability) score(f *Forecast, order, at []int) {
	var trials, events float64
	for i, m := range f.Trials {
		trials, events = trials+m, events+f.Events[i]
	}
	rate, curve := events/trials, 0.0
	brier := func(p float64, i int) float64 { // of all trials of datum i
		k, m := f.Events[i], f.Trials[i]
		return (k*(1-p)*(1-p) + (m-k)*p*p) / trials
	}
	for k, i := range order {
		r.Brier += brier(f.Prob[i], i)
		r.Uncertainty += brier(rate, i)
		curve += brier(r.Y[at[k]], i)
	}
	r.Miscalibration, r.Discrimination = r.Brier-curve, r.Uncertainty-curve
}

// Outside returns the share of the points of the curve that are outside of the band.
func (r *Reliability) Outside() float64 {
	n := 0
	for k, y := range r.Y {
		if y < r.Low[k] || y > r.High[k] {
			n++
		}
	}
	return float64(n) / float64(len(r.Y))
}

// Curve returns the curve with its band, for viz.Reliability.
func (r *Reliability) Curve() (x, y, low, high []float64) { return r.X, r.Y, r.Low, r.High }

// isotonic returns the non-decreasing values that are closest to y in weighted least squares, by pooling adjacent
// violators (Ayer et al. 1955). Weights are positive.
func isotonic(y, weights []float64) []float64 {
	type pool struct {
		mean, weight float64
		n            int
	}
	var pools []pool
	for i, v := range y {
		p := pool{v, weights[i], 1}
		for len(pools) > 0 && pools[len(pools)-1].mean >= p.mean {
			last := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			w := last.weight + p.weight
			p = pool{(last.mean*last.weight + p.mean*p.weight) / w, w, last.n + p.n}
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(y))
	for _, p := range pools {
		for range p.n {
			out = append(out, p.mean)
		}
	}
	return out
}
