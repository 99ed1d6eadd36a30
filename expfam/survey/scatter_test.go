package survey_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
)

// Two people of a survey are correlated by ρ in both models. Two people of different surveys of a cell are so where the
// cell has one rate, and not at all where villages differ. The sums of cells have the variances that the docs say.
func TestScatter(t *testing.T) {
	const rho = 0.3
	for _, c := range []struct {
		scatter survey.Scatter
		between float64
	}{{survey.CellRates{Rho: rho}, rho}, {survey.VillageRates{Rho: rho}, 0}} {
		s := simulate(t, survey.Campaign{Seed: 3, Scatter: c.scatter}, land.Frame{Rows: 128})
		type sums struct{ n, products, squares float64 }
		var within, between, cells sums
		add := func(a *sums, v float64) { a.n, a.products, a.squares = a.n+1, a.products+v, a.squares+v*v }
		first := map[int]float64{} // the residual of the first survey of each cell
		paired := map[int]bool{}
		people, pairs := map[int]float64{}, map[int]float64{}
		for _, site := range s.Sites {
			j, _ := s.Cells.Map.Locate(land.Position{Lon: site.Lon, Lat: site.Lat})
			theta, n := s.Theta[j], float64(site.Examined)
			people[j], pairs[j] = people[j]+n, pairs[j]+n*(n-1)
			z := (float64(site.Positive) - n*theta) / (n * math.Sqrt(theta*(1-theta)))
			switch other, seen := first[j]; { // one of each kind a cell, so that they are independent
			case !seen:
				first[j] = z
				if n > 1 { // Var z = (1 + (n − 1) ρ)/n
					add(&within, (z*z-1/n)*n/(n-1))
				}
			case !paired[j]:
				paired[j] = true
				add(&between, z*other)
			}
		}
		for j, n := range s.Cells.Examined {
			if n == 0 {
				continue
			}
			theta, variance := s.Theta[j], n*(1+(n-1)*rho)
			if c.between == 0 {
				variance = people[j] + rho*pairs[j]
			}
			z := (s.Cells.Positive[j] - n*theta) / math.Sqrt(theta*(1-theta)*variance)
			add(&cells, z*z)
		}
		for _, k := range []struct {
			name string
			of   sums
			want float64
		}{{"within a survey", within, rho}, {"between surveys of a cell", between, c.between}, {"of sums, squared",
			cells,
			1}} {
			mean := k.of.products / k.of.n
			se := math.Sqrt((k.of.squares/k.of.n - mean*mean) / k.of.n)
			if math.Abs(mean-k.want) > 4*se {
				t.Errorf("%v: %s %.3f ± %.3f, want %g", c.scatter, k.name, mean, se, k.want)
			}
		}
	}
}
