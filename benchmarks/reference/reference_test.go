package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/internal/must"
)

// stored returns a problem's answer and its draws.
func stored(t *testing.T, p *Problem) (*answer, certify.Draws) {
	t.Helper()
	a := must.Get(answered(p.Name))(t)
	return a, must.Get(certify.ReadDraws(filepath.Join(folder, p.Name+".npz")))(t)
}

func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// The data of the files are those of the seeds, and the table's formulas have the slopes of the library's likelihoods
// and those of their own finite differences.
func TestProblems(t *testing.T) {
	for _, p := range must.Get(problems())(t) {
		t.Run(p.Name, func(t *testing.T) {
			a, d := stored(t, p)
			must.Be(t, slices.Equal(a.Y, p.Y) && a.Family == p.Family, "data %v, of the seed %v", a.Y, p.Y)
			n, m := d.X.Dims()
			must.Be(t, n == 10000 && m == len(a.Names) && d.Chains == 4, "%d draws of %d in %d chains", n, m, d.Chains)
			row := d.X.RawRowView(0)
			x, logs := row[:p.cells()], row[p.cells():]
			values := make([]float64, len(logs))
			for i, v := range logs {
				values[i] = math.Exp(v)
			}
			obs := must.Get(p.observations())(t)
			like := p.likelihood()
			if p.dispersion() != nil {
				like, obs, _ = like.With(values, obs)
			}
			data := must.Get(like.Forward(p.cells()))(t).LogLikelihood(obs)
			own, library := make([]float64, p.cells()), make([]float64, p.cells())
			p.logLikelihood(x, values, own)
			data.LogLikSlope(x, library)
			score := p.scores(d.X.Slice(0, 1, 0, m).(*mat.Dense)).RawRowView(0)
			const h = 1e-5
			for j := range m {
				if j < p.cells() && math.Abs(own[j]-library[j]) > 1e-6*(1+math.Abs(library[j])) {
					t.Errorf("cell %d: slope %v, of the library %v", j, own[j], library[j])
				}
				at := row[j]
				row[j] = at + h
				up := p.logDensity(x, logs, nil)
				row[j] = at - h
				slope := (up - p.logDensity(x, logs, nil)) / (2 * h)
				row[j] = at
				// The rounding of a log density of about 1000 is 1e-13, and over 2h 1e-8; the curvature adds h² of it.
				if math.Abs(score[j]-slope) > 1e-5*(1+math.Abs(slope)) {
					t.Errorf("%s: score %v, by differences %v", a.Names[j], score[j], slope)
				}
			}
		})
	}
}

// Linear data with normal noise have a posterior in closed form: of precision K⁻¹ + HᵀH/s², s = ½.
func TestClosedForm(t *testing.T) {
	all := must.Get(problems())(t)
	p := all[slices.IndexFunc(all, func(p *Problem) bool { return p.Family == "normal" })]
	a, _ := stored(t, p)
	n := p.cells()
	var k mat.Cholesky
	must.Be(t, k.Factorize(p.Cov(nil)), "K is not positive definite")
	var precision, scaled mat.Dense
	var inverse mat.SymDense
	must.Do(t, k.InverseTo(&inverse))
	scaled.Scale(1/(noise*noise), p.See.T())
	precision.Mul(&scaled, p.See)
	precision.Add(&precision, &inverse)
	var cov mat.Dense
	must.Do(t, cov.Inverse(&precision))
	var pulled, mean mat.VecDense
	pulled.MulVec(&scaled, mat.NewVecDense(len(p.Y), p.Y)) // μ = 0
	mean.MulVec(&cov, &pulled)
	for i := range n {
		sd := math.Sqrt(cov.At(i, i))
		// 40,000 draws: four standard errors are .02 sd, and 1.4% of the sd.
		must.Be(t, math.Abs(a.Means[i]-mean.AtVec(i)) < 0.02*sd && math.Abs(a.SDs[i]/sd-1) < 0.015,
			"cell %d: %v ± %v, exactly %v ± %v", i, a.Means[i], a.SDs[i], mean.AtVec(i), sd)
	}
}

// The reference's own draws agree, and are found out if they are moved by a fifth of a standard deviation.
func TestScore(t *testing.T) {
	for _, p := range must.Get(problems())(t) {
		a, d := stored(t, p)
		for k := range a.Means {
			m, sd := stat.MeanStdDev(mat.Col(nil, k, d.X), nil)
			// A quarter of the draws, or fewer, as the hard ones have long tails.
			must.Be(t, math.Abs(m-a.Means[k]) < 0.08*a.SDs[k] && math.Abs(sd/a.SDs[k]-1) < 0.15, "%s of %s: %v ± %v",
				a.Names[k], p.Name, m, sd)
		}
		s := must.Get(a.score(p, d))(t)
		// Of 24 exact ones, one or two are doubtful by chance.
		must.Be(t, s.mean < 0.03 && s.Verdict != certify.Wrong && s.Verdict == a.Certificate.Verdict, "%s: %v, %v",
			p.Name, s.mean, s.Report)
		d.X.Apply(func(_, k int, v float64) float64 { return v + 0.2*a.SDs[k] }, d.X)
		s = must.Get(a.score(p, d))(t)
		must.Be(t, math.Abs(s.mean-0.2) < 0.03 && s.Verdict == certify.Wrong, "%s, moved: %v, %v", p.Name, s.mean,
			s.Report)
	}
}
