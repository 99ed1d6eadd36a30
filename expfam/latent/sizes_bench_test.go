package latent_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// timed makes a posterior, and reports the seconds of processors, those that it says a person waits for, those that a
// person waits for, and the p-value of its certificate.
func timed(b *testing.B, sample func() (*expfam.Posterior, error)) {
	var before, after syscall.Rusage
	for b.Loop() {
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		began := time.Now()
		post := must.Get(sample())(b)
		b.ReportMetric(time.Since(began).Seconds(), "wall-s")
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		b.ReportMetric(seconds(after)-seconds(before), "cpu-s")
		b.ReportMetric(post.Info.Seconds, "info-s")
		b.ReportMetric(float64(after.Maxrss)/1024, "MiB-so-far")
		if c := post.Info.Certificate; c != nil {
			b.ReportMetric(c.P, "p")
		}
	}
}

func seconds(r syscall.Rusage) float64 {
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

// triangles is a planar graph of rows × cols areas, most of which have six neighbours.
func triangles(b *testing.B, rows, cols int) *graph.Neighbours {
	var pairs [][2]int
	for i := range rows * cols {
		r, c := i/cols, i%cols
		if c > 0 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
		if r > 0 {
			pairs = append(pairs, [2]int{i - cols, i})
		}
		if r > 0 && c > 0 {
			pairs = append(pairs, [2]int{i - cols - 1, i})
		}
	}
	return must.Get(graph.Edges(rows*cols, pairs))(b)
}

// counts are n Poisson counts of a wave over so many columns, with expected numbers from 1 to 10.
func counts(b *testing.B, n, cols int) (expfam.Likelihood, expfam.Observations) {
	rng := expfam.Stream(1, "sizes")
	y, e := make([]float64, n), make([]float64, n)
	for i := range y {
		r, c := float64(i/cols*cols)/float64(n), float64(i%cols)/float64(cols)
		e[i] = math.Exp(2.3 * rng.Float64())
		y[i] = expfam.Poisson{}.Rand(math.Exp(0.4*math.Sin(6*r)*math.Cos(5*c)), expfam.Given(e[i]), rng)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	return like, must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{e}}))(b)
}

func draw(b *testing.B, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) {
	timed(b, func() (*expfam.Posterior, error) {
		return diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: 1, Fresh: true})
	})
}

// BenchmarkSizes makes 500 draws of posteriors of all ways to hold a prior, at growing sizes.
func BenchmarkSizes(b *testing.B) {
	for _, side := range []int{10, 15, 21, 32, 56, 100} {
		b.Run(fmt.Sprintf("bym2/%d", side*side), func(b *testing.B) {
			like, obs := counts(b, side*side, side)
			draw(b, gp.Unknown{Of: graph.BYM2{Neighbours: triangles(b, side, side), LevelSD: 3}}, like, obs)
		})
	}
	for _, side := range []int{16, 31, 32, 33, 64, 128, 256} {
		surveyed := min(side*side/4, 5000)
		like, obs := counts(b, surveyed, surveyed)
		like.Operator = &operator.Select{Cells: side * side,
			Keep: expfam.Stream(1, "surveys").Perm(side * side)[:surveyed]}
		field := gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 10, SD: 0.7, LevelSD: 1}
		if side < 256 { // which Sample refuses
			b.Run(fmt.Sprintf("lattice/%d", side*side), func(b *testing.B) {
				draw(b, must.Get(field.Field())(b), like, obs)
			})
		}
		b.Run(fmt.Sprintf("gmrf/%d", side*side), func(b *testing.B) {
			timed(b, func() (*expfam.Posterior, error) {
				return gmrf.Sample(field, like, obs, gmrf.Options{Seed: 1, Fresh: true})
			})
		})
	}
	for _, cells := range []int{100, 300, 1000, 3000} {
		b.Run(fmt.Sprintf("line/%d", cells), func(b *testing.B) {
			like, obs := counts(b, cells, cells)
			draw(b, gp.RBF{Cells: cells}, like, obs)
		})
		b.Run(fmt.Sprintf("readings/%d", cells), func(b *testing.B) {
			keep := make([]int, cells)
			for k := range keep {
				keep[k] = k * 7 % 30
			}
			like, obs := counts(b, cells, cells)
			like.Operator = &operator.Select{Cells: 30, Keep: keep}
			draw(b, gp.RBF{}, like, obs)
		})
	}
	for name, p := range map[string]graph.SpaceTime{
		"56x140/IV": {Time: graph.Walk{Cells: 140}, Area: graph.BYM2{Neighbours: triangles(b, 7, 8)},
			Interaction: graph.TypeIV},
		"3108x12/I": {Time: graph.Walk{Cells: 12}, Area: graph.BYM2{Neighbours: triangles(b, 42, 74)},
			Interaction: graph.TypeI},
		"3108x12/II": {Time: graph.Walk{Cells: 12}, Area: graph.BYM2{Neighbours: triangles(b, 42, 74)},
			Interaction: graph.TypeII},
	} {
		b.Run("times/"+name, func(b *testing.B) {
			p.LevelSD = 3
			like, obs := counts(b, p.Dim(), p.Area.Dim())
			draw(b, gp.Unknown{Of: p}, like, obs)
		})
	}
}

// BenchmarkCampaign maps 64×64 cells, a tenth of which have positives of some dozen people examined, with the range,
// the standard deviation and the correlation of the people of a cell integrated out.
func BenchmarkCampaign(b *testing.B) {
	for _, side := range []int{16, 32, 64, 128} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			g := grid.Grid{Rows: side, Cols: side}
			truth := must.Get(gmrf.Prior{Grid: g, Range: float64(side) / 5, SD: 0.3, Level: -0.15,
				KnownLevel: true}.Draw(expfam.Stream(1, "campaign")))(b)
			like := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}
			rng := expfam.Stream(2, "campaign")
			y, n := make([]float64, len(truth)), make([]float64, len(truth))
			for j, x := range truth {
				y[j] = math.NaN()
				if n[j] = 1; rng.Float64() < 0.1 {
					n[j] = 5 + math.Round(60*rng.ExpFloat64())
					mixed := expfam.BetaBinomial{Correlation: 0.05}
					y[j] = mixed.Rand(1/(1+math.Exp(-5*x)), expfam.Given(n[j]), rng)
				}
			}
			obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{n}}))(b)
			timed(b, func() (*expfam.Posterior, error) {
				return gmrf.Sample(gmrf.Prior{Grid: g}, like, obs, gmrf.Options{Seed: 1, Overdispersed: true,
					Fresh: true})
			})
		})
	}
}

// BenchmarkScotland draws the risks of lip cancer with unknown numbers of BYM2 and the coefficient of a covariate.
func BenchmarkScotland(b *testing.B) {
	var s struct {
		Y, E, X []float64
		Edges   map[string][][2]int
	}
	must.Do(b, json.Unmarshal(must.Get(os.ReadFile("../graph/testdata/scotland.json"))(b), &s))
	for name, edges := range s.Edges {
		b.Run(name, func(b *testing.B) {
			x := mat.NewDense(len(s.X), 1, nil)
			for i, v := range s.X {
				x.Set(i, 0, v/10)
			}
			like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)"),
				Operator: operator.Design(x)}
			beta := must.Get(gp.New(nil, mat.NewSymDense(1, []float64{1})))(b)
			area := graph.BYM2{Neighbours: must.Get(graph.Edges(len(s.Y), edges))(b), LevelSD: 3}
			obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{s.Y}, Known: [][]float64{s.E}}))(b)
			draw(b, expfam.Product(gp.Unknown{Of: area}, beta), like, obs)
		})
	}
}
