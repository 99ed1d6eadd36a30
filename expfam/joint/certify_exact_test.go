package joint_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
)

// hidden is a prior that knows its products alone, as fields with unknown numbers do, with the data of its noise.
type hidden struct {
	of   *gp.Gaussian
	data latent.Data
}

func (h hidden) Data() latent.Data { return h.data }
func (h hidden) Mean() []float64   { return h.of.Mean() }
func (h hidden) Multiply(v []float64) ([]float64, bool) {
	var out mat.VecDense
	out.MulVec(h.of.Cov(), mat.NewVecDense(len(v), v))
	return out.RawVector().Data, true
}

// exactly has exact draws of a field with unknown numbers: its length scale, its sd, and the noise of normal data. The
// numbers have finitely many values, whose weights and fields given the data have closed forms.
type exactly struct {
	post  *expfam.Posterior
	obs   expfam.Observations
	which []int
	prior func(number int) any
	name  string
}

// exactDraws simulates data of a random field and draws from the posterior of all its numbers. With one number the
// noise alone is unknown, under a prior as smooth as its length scale says.
func exactDraws(t *testing.T, rng *rand.Rand, numbers, draws int) exactly {
	t.Helper()
	cells := []int{6, 12, 20, 30}[rng.IntN(4)]
	lengths, sds := []float64{math.Exp(math.Log(0.04) + 2.7*rng.Float64())}, []float64{1}
	if numbers == 3 {
		lengths, sds = []float64{0.05, 0.1, 0.2, 0.4}, []float64{0.4, 0.8, 1.6}
	}
	noises := []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 2.5}
	truth, seen := make([]float64, cells), make([]bool, cells)
	gp.RBF{Cells: cells, Length: lengths[rng.IntN(len(lengths))]}.Gaussian().Draw(rng, truth)
	noise, data := noises[2+rng.IntN(5)], 0
	y := make([]float64, cells)
	for range 1 + rng.IntN(2*cells) {
		if j := rng.IntN(cells); !seen[j] {
			seen[j], y[j], data = true, truth[j]+noise*rng.NormFloat64(), data+1
		}
	}
	type node struct {
		values    [3]float64
		of        *gp.Gaussian
		like      expfam.Likelihood
		obs       expfam.Observations
		logWeight float64
	}
	var nodes []node
	best := math.Inf(-1)
	for _, length := range lengths {
		for _, sd := range sds {
			of := gp.RBF{Cells: cells, Length: length, Variance: sd * sd}.Gaussian()
			for _, noise := range noises {
				n := node{values: [3]float64{length, sd, noise}, of: of,
					like: expfam.Likelihood{Family: expfam.Normal{SD: noise}}}
				n.obs = make(expfam.Observations, cells)
				var at []int
				for j := range seen {
					if seen[j] {
						n.obs[j] = expfam.Must(n.like.Family.Reduce(y[j], expfam.Known{}))
						at = append(at, j)
					}
				}
				cov, residual := mat.NewSymDense(data, nil), mat.NewVecDense(data, nil)
				for a, i := range at {
					residual.SetVec(a, y[i])
					for b := range a + 1 {
						cov.SetSym(a, b, of.Cov().At(i, at[b]))
					}
					cov.SetSym(a, a, cov.At(a, a)+noise*noise)
				}
				var chol mat.Cholesky
				if !chol.Factorize(cov) {
					t.Fatal("the covariance of the data is singular")
				}
				var solved mat.VecDense
				_ = chol.SolveVecTo(&solved, residual)
				n.logWeight = -(mat.Dot(&solved, residual) + chol.LogDet()) / 2
				nodes, best = append(nodes, n), math.Max(best, n.logWeight)
			}
		}
	}
	var total float64
	for _, n := range nodes {
		total += math.Exp(n.logWeight - best)
	}
	out := exactly{which: make([]int, draws), name: fmt.Sprintf("%d cells, %d data, %d numbers", cells, data, numbers)}
	count := make([]int, len(nodes))
	for range draws {
		u, k := total*rng.Float64(), 0
		for ; k < len(nodes)-1; k++ {
			if u -= math.Exp(nodes[k].logWeight - best); u < 0 {
				break
			}
		}
		count[k]++
	}
	x, values, i, most := mat.NewDense(draws, cells, nil), [3][]float64{}, 0, 0
	for k, n := range nodes {
		if count[k] == 0 {
			continue
		}
		if count[k] > count[most] {
			most = k
		}
		given := expfam.Must(gp.Exact(n.of, n.like, n.obs))
		some := expfam.Must(given.Sample(max(2, count[k]), rng.Uint64()))
		for d := range count[k] {
			x.SetRow(i, some.X.RawRowView(d))
			out.which[i] = k
			for p, v := range n.values {
				values[p] = append(values[p], v)
			}
			i++
		}
	}
	out.post = &expfam.Posterior{X: x, Likelihood: nodes[most].like}
	out.obs = nodes[most].obs
	for p, name := range []string{"length scale", "sd", "noise sd"} {
		if numbers == 3 || p == 2 {
			out.post.AddParameter(law.Parameter{Name: name, Law: law.LogNormal{Median: 1, SD: 1}}, values[p])
		}
	}
	out.prior = func(k int) any {
		n := nodes[k]
		terms := expfam.Must(n.like.Terms())
		return hidden{n.of, expfam.Must(terms.Forward(cells)).LogLikelihood(n.obs)}
	}
	return out
}

func (e exactly) certify(t *testing.T) *expfam.Certificate {
	t.Helper()
	return expfam.Must(e.post.CertifyEach(e.obs, e.which, e.prior))
}

// moved returns draws that are moved by so many posterior sd in every cell, in the direction of their mean.
func (e exactly) moved(by, widen float64) exactly {
	x := mat.DenseCopyOf(e.post.X)
	draws, cells := x.Dims()
	for j := range cells {
		column := mat.Col(nil, j, x)
		mean, sd := stat.MeanStdDev(column, nil)
		for i := range draws {
			x.Set(i, j, mean+by*sd+widen*(column[i]-mean))
		}
	}
	e.post = &expfam.Posterior{X: x, Likelihood: e.post.Likelihood, Parameters: e.post.Parameters}
	return e
}

// Exact posteriors with unknown numbers agree at the stated rates, however smooth the prior and however few the data,
// and draws that were moved or made wider are found.
func TestCertificateOfExactDraws(t *testing.T) {
	models, draws := fulltest.N(40, 400), fulltest.N(500, 2000)
	for _, numbers := range []int{1, 3} {
		rng := expfam.Stream(uint64(numbers), "exact draws")
		agrees, wrong, moved, wide := 0, 0, 0, 0
		for range models {
			e := exactDraws(t, rng, numbers, draws)
			c := e.certify(t)
			switch c.Verdict() {
			case "agrees":
				agrees++
			case "wrong":
				wrong++
				t.Log(e.name, c)
			default:
				t.Log(e.name, c)
			}
			if e.moved(0.4, 1).certify(t).Verdict() == "wrong" {
				moved++
			}
			if e.moved(0, 1.25).certify(t).Verdict() == "wrong" {
				wide++
			}
		}
		t.Logf("%d numbers: of %d agree %d, wrong %d, found %d moved and %d wide", numbers, models, agrees, wrong,
			moved, wide)
		// Two standard errors beside the rates of 95% and 1%.
		n := float64(models)
		if float64(agrees) < 0.95*n-2*math.Sqrt(0.05*0.95*n) || float64(wrong) > 0.01*n+2*math.Sqrt(0.01*n) ||
			float64(min(moved, wide)) < 0.98*n {
			t.Errorf("%d numbers: the rates are not those of the certificate", numbers)
		}
	}
}
