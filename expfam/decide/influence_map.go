package decide

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// InfluenceMap has the influence of every datum on the posterior mean of every cell. viz.Influence shows it.
type InfluenceMap struct {
	Data []int // the numbers of the data
	// Effects is ∂E[θⱼ | y]/∂w_i, (data, cells).
	Effects *mat.Dense
	// Noise is half the width of the band of each effect, (data, cells). All orders of the draws are equally likely
	// under the permutation, by which a covariance has the standard deviation s_j s_i/√(S−1), where s_j and s_i are
	// the standard deviations of θⱼ and of log p(y_i) over S draws. The band is that of a normal variable.
	Noise *mat.Dense
}

// Map returns the influence of all data of obs on E[θⱼ | y] of every cell. It has as many numbers as there are data
// times cells.
func (o Influence) Map(post *expfam.Posterior, obs expfam.Observations) (*InfluenceMap, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	logs, data, err := calibrate.Pointwise(post, obs)
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	if err := centre(logs, data); err != nil {
		return nil, err
	}
	draws, cells := post.Dims()
	out := &InfluenceMap{Data: data, Effects: mat.NewDense(len(data), cells, nil),
		Noise: mat.NewDense(len(data), cells, nil)}
	out.Effects.Mul(logs.T(), post.Theta().X)
	out.Effects.Scale(1/float64(draws-1), out.Effects)
	sd, z := post.SD(), normalBand(o.Level)/math.Sqrt(float64(draws-1))
	for c := range data {
		own := stat.StdDev(mat.Col(nil, c, logs), nil)
		for j, s := range sd {
			out.Noise.Set(c, j, z*own*s)
		}
	}
	return out, nil
}

// Dims returns the numbers of data and cells.
func (m *InfluenceMap) Dims() (data, cells int) { return m.Effects.Dims() }

// Datum returns the number of the datum in place c, its effect on the mean of cell j, and half the width of the band of
// noise of the effect.
func (m *InfluenceMap) Datum(c, j int) (number int, effect, noise float64) {
	return m.Data[c], m.Effects.At(c, j), m.Noise.At(c, j)
}
