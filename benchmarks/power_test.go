package benchmarks

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// powerDraws are the numbers of draws at which the power of a certificate is measured.
var powerDraws = []int{100, 250, 500, 1000}

// power counts the verdicts on draws that are right and on draws made wrong on purpose, by the number of draws.
type power map[string]map[int]map[string]int

func newPower() power { return power{} }

// spoiled are the ways in which draws are made wrong.
var spoiled = []struct {
	name  string
	spoil func(x *mat.Dense, prior any, mode int)
}{
	{"right", func(*mat.Dense, any, int) {}},
	{"level .2 sd off", func(x *mat.Dense, _ any, _ int) {
		draws, cells := x.Dims()
		level := make([]float64, draws)
		for i := range level {
			level[i] = stat.Mean(x.RawRowView(i), nil)
		}
		by := 0.2 * stat.StdDev(level, nil)
		for i := range draws {
			for j := range cells {
				x.Set(i, j, x.At(i, j)+by)
			}
		}
	}},
	{"one mode .2 sd off", func(x *mat.Dense, prior any, mode int) {
		// One of the ten coarsest modes, in which a field differs visibly.
		_, l := prior.(interface {
			Modes(n int) ([]float64, *mat.Dense)
		}).Modes(10)
		draws, _ := x.Dims()
		_, rank := l.Dims()
		column := mat.Col(nil, mode%rank, l)
		var along mat.VecDense
		along.MulVec(x, mat.NewVecDense(len(column), column))
		norm := mat.Dot(mat.NewVecDense(len(column), column), mat.NewVecDense(len(column), column))
		by := 0.2 * stat.StdDev(along.RawVector().Data, nil) / norm
		for i := range draws {
			for j, v := range column {
				x.Set(i, j, x.At(i, j)+by*v)
			}
		}
	}},
	{"width .85", func(x *mat.Dense, _ any, _ int) { widen(x, 0.85) }},
	{"width 1.15", func(x *mat.Dense, _ any, _ int) { widen(x, 1.15) }},
}

// widen multiplies the distance of every draw from the mean.
func widen(x *mat.Dense, by float64) {
	draws, cells := x.Dims()
	for j := range cells {
		mean := stat.Mean(mat.Col(nil, j, x), nil)
		for i := range draws {
			x.Set(i, j, mean+by*(x.At(i, j)-mean))
		}
	}
}

// add certifies the first draws of a posterior, as they are and made wrong.
func (p power) add(t testing.TB, c configuration, post *expfam.Posterior) {
	p.addBy(t, c, post, func(some *expfam.Posterior) (*expfam.Certificate, error) {
		return some.Certify(c.prior, c.obs)
	})
}

// addBy is add with certificates that are made otherwise. A certificate that is open is followed by those of twice
// and four times as many draws, as in diffusion.Sample. The first and the last are counted.
func (p power) addBy(t testing.TB, c configuration, post *expfam.Posterior,
	certify func(some *expfam.Posterior) (*expfam.Certificate, error)) {
	draws, cells := post.Dims()
	for k, s := range spoiled {
		for _, n := range powerDraws {
			if n > draws {
				continue
			}
			if p[s.name] == nil {
				p[s.name] = map[int]map[string]int{}
			}
			if p[s.name][n] == nil {
				p[s.name][n] = map[string]int{}
			}
			tally := p[s.name][n]
			mode := expfam.Stream(uint64(tally["all"]), "spoiled").IntN(1 << 16) // any
			look := func(n int) (*expfam.Certificate, error) {
				x := mat.DenseCopyOf(post.X.Slice(0, n, 0, cells))
				s.spoil(x, c.prior, mode)
				return certify(&expfam.Posterior{X: x, Likelihood: post.Likelihood,
					Info: expfam.Info{Method: "spoiled"}})
			}
			cert, err := look(n)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			tally["all"]++
			tally["first "+cert.Verdict()]++
			for m := 2 * n; cert.Open() && m <= draws; m *= 2 {
				tally["further"] += m / 2
				if cert, err = look(m); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				cert.Further = m - n
			}
			tally[cert.Verdict()]++
			if k == 0 && n == 500 && cert.Verdict() == "wrong" {
				t.Logf("%s: false alarm: %v, P %.2g", c.name, cert, cert.P)
			}
		}
	}
}

// log writes the shares of the verdicts, and how many further draws there were for each.
func (p power) log(t testing.TB) {
	for _, s := range spoiled {
		text := s.name
		for _, n := range powerDraws {
			if v := p[s.name][n]; v != nil {
				share := func(of string) float64 { return float64(v[of]) / float64(v["all"]) }
				text += fmt.Sprintf("; %d draws: at first wrong %.3f, doubtful %.3f; further %.2f; then wrong %.3f, "+
					"doubtful %.3f", n, share("first wrong"), share("first doubtful"), share("further")/float64(n),
					share("wrong"), share("doubtful"))
			}
		}
		t.Log(text)
	}
}

// TestPower certifies posteriors of the six samplers of the calibration curve with 4 to 12 evaluations, 500 draws each,
// under the exact prior, on the cases of the paper. A posterior is wrong if its medians are .15 sd off, or its
// intervals a tenth too wide or too narrow, on average over the cells.
func TestPower(t *testing.T) {
	cases, evaluations := []Case{Normal}, []int{6}
	if *fulltest.Full {
		cases, evaluations = Cases, []int{4, 6, 8, 12}
	}
	e, ctx := benchtest.Open(t, "go"), context.Background()
	found, wrong := 0, 0
	for _, effort := range Efforts {
		tally := map[string]int{}
		for _, c := range cases {
			data := must.Get(c.Simulate(2001))(t)
			exact := must.Get(c.truth(data))(t)
			for _, n := range evaluations {
				s, ok := effort.Sampler(n)
				if !ok {
					continue
				}
				s.Engine, s.Moves = e, -1
				compiled, err := diffusion.Compile(problem.Prior, c.Likelihood, s)
				must.Do(t, err)
				post, err := compiled.Sample(ctx, data.Obs, 1)
				compiled.Close()
				if err != nil {
					tally["refused"]++
					continue
				}
				d := must.Get(calibrate.Distances(exact, nil, post))(t)[0]
				certificate := post.Info.Certificate
				tally["posteriors"]++
				is := d.Med > 0.15 || d.CI < 0.9 || d.CI > 1.1
				if is {
					tally["wrong"]++
				}
				if certificate.Verdict() == "wrong" {
					tally["found"]++
					if is {
						tally["wrong and found"]++
					}
				} else if is {
					t.Errorf("%s, %s, %d evaluations: medians %.2f sd off, widths %.2f, and %v", effort.Name, c.Name, n,
						d.Med, d.CI, certificate)
				}
			}
		}
		wrong, found = wrong+tally["wrong"], found+tally["wrong and found"]
		t.Logf("%-24s %v", effort.Name, tally)
	}
	t.Logf("%d of %d wrong posteriors are found", found, wrong)
	must.Be(t, wrong != 0, "no sampler is wrong")
}
