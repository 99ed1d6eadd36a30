package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// small is a problem of few cells.
func small(law Law, h *mat.Dense, noise float64) *Problem {
	p := &Problem{Law: law, Name: "small", Operator: &operator.Dense{Matrix: h}, Noise: noise, power: noise}
	p.jumps = jumpsOf(p.Operator)
	return p
}

// Under normal increments the chain's draws are independent, and the posterior has a closed form.
func TestGibbsOfGaussIsClosedForm(t *testing.T) {
	p := must.Get(New(Gauss{}, Blur))(t)
	y := p.Test(0).Y
	truth := must.Get(Gibbs{Burn: 1, Sweeps: 2000, Keep: 2000}.Sample(p, y))(t)
	// The covariance of signals is ¼ min(i, j).
	k, h := mat.NewSymDense(Cells, nil), mat.NewDense(len(y), Cells, nil)
	for i := range Cells {
		for j := i; j < Cells; j++ {
			k.SetSym(i, j, 0.25*float64(i+1))
		}
	}
	for i := range y {
		p.Operator.Row(i, func(j int, w float64) { h.Set(i, j, w) })
	}
	var kh, s, gain, cov mat.Dense
	kh.Mul(k, h.T())
	s.Mul(h, &kh)
	for i := range y {
		s.Set(i, i, s.At(i, i)+p.Noise*p.Noise)
	}
	must.Do(t, gain.Solve(&s, kh.T()))
	cov.Mul(&kh, &gain)
	var mean mat.VecDense
	mean.MulVec(gain.T(), mat.NewVecDense(len(y), y))
	draws := &expfam.Draws{X: truth.Draws}
	average, sd := draws.Mean(), draws.SD()
	for j := range Cells {
		want := math.Sqrt(k.At(j, j) - cov.At(j, j))
		d := math.Abs(truth.Mean[j] - mean.AtVec(j))
		must.Be(t, d <= 1e-9, "the mean of cell %d is %g away", j, d)
		if d := math.Abs(average[j] - mean.AtVec(j)); d > 4.5*want/math.Sqrt(2000) { // 4.5 standard errors, 64 cells
			t.Errorf("the mean of draws of cell %d is %g away, sd %g", j, d, want)
		}
		r := sd[j] / want
		must.Be(t, math.Abs(r-1) <= 4.5/math.Sqrt(2*2000), "the sd of cell %d is %g of the exact one", j, r)
	}
}

// Data are drawn given increments and increments given data, in turn: both stay draws of the model (Geweke 2004).
// Bounded functions of them are compared with those of independent draws.
func TestGibbsIsRight(t *testing.T) {
	// The second increment is hardly seen by itself.
	h := mat.NewDense(3, 3, []float64{1, 0, 0, 0.2, 0.5, 0.3, 0, 0, 1.5})
	poisson, binomial := small(Laplace{Scale: 0.5}, h, 1).Counted(Counted()[0]), small(Laplace{Scale: 0.5}, h, 1).
		Counted(Counted()[1])
	for _, p := range []*Problem{small(Gauss{}, h, 0.7), small(Laplace{Scale: 0.5}, h, 0.7),
		small(Student{Degrees: 3}, h, 0.7),
		small(BernoulliLaplace{P: 0.4}, h, 0.7), poisson, binomial} {
		t.Run(p.String(), func(t *testing.T) {
			const sweeps, batches = 8000, 40
			law := p.Law
			rng := expfam.Stream(1, "geweke")
			c := must.Get(p.chain(rng))(t)
			quantities := func(u []float64) []float64 {
				var zeros float64
				for _, v := range u {
					if v == 0 {
						zeros++
					}
				}
				return []float64{math.Tanh(u[0] * u[0]), math.Tanh(u[1] * u[1]), math.Tanh(math.Abs(u[2])),
					math.Tanh(u[0] * u[1]),
					math.Tanh(3 * u[1] * u[2]), zeros, zeros * zeros, math.Tanh(u[1] + u[2])}
			}
			// A chain of spikes begins without jumps; some sweeps forget that.
			c.settle()
			u, y := make([]float64, 3), make([]float64, 3)
			chain, direct := make([][]float64, 8), make([][]float64, 8)
			for i := range sweeps + 100 {
				at, s := 0.0, make([]float64, 3)
				for j, v := range u {
					at += v
					s[j] = at
				}
				copy(y, p.data(s, rng))
				must.Do(t, c.observe(y))
				drawn, _ := c.sweep(rng)
				if copy(u, drawn); i < 100 {
					continue
				}
				for k, v := range quantities(u) {
					chain[k] = append(chain[k], v)
				}
				for k, v := range quantities([]float64{law.Draw(rng), law.Draw(rng), law.Draw(rng)}) {
					direct[k] = append(direct[k], v)
				}
			}
			for k := range chain {
				var means []float64
				for b := range batches {
					means = append(means, stat.Mean(chain[k][b*sweeps/batches:(b+1)*sweeps/batches], nil))
				}
				gap := stat.Mean(chain[k], nil) - stat.Mean(direct[k], nil)
				se := math.Hypot(stat.StdDev(means, nil)/math.Sqrt(batches),
					stat.StdDev(direct[k], nil)/math.Sqrt(sweeps))
				if math.Abs(gap) > 4*se+1e-12 { // 48 comparisons
					t.Errorf("quantity %d is %g away, standard error %g", k, gap, se)
				}
			}
		})
	}
}

// Two samples of which one is seen well and one badly: the posterior mean by quadrature over both increments, where
// an atom at 0 is a point of its own.
func TestGibbsOfTwoCellsIsQuadrature(t *testing.T) {
	h := mat.NewDense(2, 2, []float64{1, 0.3, 0.2, 0.4})
	y := []float64{1.1, -0.2}
	for _, law := range []Law{Laplace{}, Student{Degrees: 3}, Student{Degrees: 1}, BernoulliLaplace{P: 0.3}} {
		t.Run(law.String(), func(t *testing.T) {
			p := small(law, h, 0.4)
			type point struct{ u, logWeight float64 }
			const reach, n = 12.0, 601 // the likelihood leaves 1e-30 of what is beyond
			var points []point
			for i := range n {
				u := reach * (2*float64(i)/(n-1) - 1)
				if u == 0 {
					if _, atom := law.(BernoulliLaplace); atom {
						points = append(points, point{0, law.LogProb(0)})
						points = append(points, point{1e-300, law.LogProb(1e-300) + math.Log(2*reach/(n-1))})
						continue
					}
				}
				points = append(points, point{u, law.LogProb(u) + math.Log(2*reach/(n-1))})
			}
			var mass float64
			var want, squares [2]float64
			for _, a := range points {
				for _, b := range points {
					s := []float64{a.u, a.u + b.u}
					var miss float64
					for k, v := range y {
						miss += math.Pow((h.At(k, 0)*s[0]+h.At(k, 1)*s[1]-v)/p.Noise, 2) / 2
					}
					w := math.Exp(a.logWeight + b.logWeight - miss)
					mass += w
					for j, v := range s {
						want[j] += w * v
						squares[j] += w * v * v
					}
				}
			}
			truth := must.Get(Gibbs{Burn: 500, Sweeps: 40000, Keep: 40000, Seed: 3}.Sample(p, y))(t)
			for j := range want {
				want[j] /= mass
				sd := math.Sqrt(squares[j]/mass - want[j]*want[j])
				// Some 4000 of the draws are worth independent ones: 0.016 sd is a standard error.
				d := (truth.Mean[j] - want[j]) / sd
				must.Be(t, math.Abs(d) <= 0.06,
					"the mean of cell %d is %g, and %g by quadrature: %.3f sd away", j, truth.Mean[j], want[j], d)
				got := stat.StdDev(mat.Col(nil, j, truth.Draws), nil)
				must.Be(t, math.Abs(got/sd-1) <= 0.06, "the sd of cell %d is %g, and %g by quadrature", j, got, sd)
			}
		})
	}
}

// Counts under normal increments, whose posterior package hmc draws as well.
func TestGibbsOfCountsIsHMC(t *testing.T) {
	h := mat.NewDense(3, 3, []float64{1, 0, 0, 0.2, 0.5, 0.3, 0, 0, 1.5})
	k := mat.NewSymDense(3, []float64{0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.25, 0.5, 0.75})
	prior := must.Get(gp.New(nil, k))(t)
	for i, y := range [][]float64{{14, 6, 31}, {13, 2, 18}} {
		p := small(Gauss{}, h, 1).Counted(Counted()[i])
		truth := must.Get(Gibbs{Burn: 300, Sweeps: 4000, Keep: 4000}.Sample(p, y))(t)
		like := p.Counts.Likelihood
		like.Operator = &operator.Dense{Matrix: h}
		obs := must.Get(like.Observe1(y...))(t)
		other := must.Get(hmc.Sample(prior, like, obs, hmc.Options{Seed: 1}))(t)
		mean, sd := other.Latent().Mean(), other.Latent().SD()
		for j := range mean {
			// Some 2000 of either's draws are worth independent ones: 0.03 sd is a standard error.
			d := (truth.Mean[j] - mean[j]) / sd[j]
			must.Be(t, math.Abs(d) <= 0.12, "%v: the mean of cell %d is %.3f sd away", p, j, d)
			r := stat.StdDev(mat.Col(nil, j, truth.Draws), nil) / sd[j]
			must.Be(t, math.Abs(r-1) <= 0.09, "%v: the sd of cell %d is %.3f of hmc's", p, j, r)
		}
	}
}

// Chains of jumps that begin without any agree with each other on the benchmark's own problems, within what their
// effective sample sizes explain.
func TestSpikesMix(t *testing.T) {
	names, most := Names()[1:2], 1
	if *fulltest.Full {
		names, most = Names(), 5
	}
	for _, name := range names {
		p, err := New(BernoulliLaplace{}, name)
		must.Do(t, err)
		var worst, sum float64
		for k := range most {
			y := p.Test(k).Y
			var chains [2]*Truth
			for i := range chains {
				sweeps := 600
				if *fulltest.Full {
					sweeps = 5000
				}
				if chains[i], err = (Gibbs{Burn: sweeps / 5, Sweeps: sweeps, Seed: uint64(i)}).
					Sample(p, y); err != nil {
					t.Fatal(err)
				}
			}
			sd := (&expfam.Draws{X: chains[0].Draws}).SD()
			var squares, scale float64
			for j, v := range sd {
				d := chains[0].Mean[j] - chains[1].Mean[j]
				squares += d * d
				scale += v * v
			}
			ratio := math.Sqrt(squares / scale)
			sum, worst = sum+ratio/float64(most), math.Max(worst, ratio)
		}
		t.Logf("%v: two chains' means are %.3f posterior sds apart, at most %.3f", p, sum, worst)
		limit := 0.25 // of 600 sweeps, of which some 50 are worth independent ones
		if *fulltest.Full {
			limit = 0.1
		}
		must.Be(t, worst <= limit, "%v: two chains' means are %.3f posterior sds apart", p, worst)
	}
}
