package survey

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/land"
)

// Campaign simulates surveys on the land of a map, for users without a table. No number
// belongs to a real person. Surveys come in clusters around towns, and the numbers examined
// n_s are log-normal. Every survey s of cell j has y_s positives,
//
//	y_s ~ Binomial(n_s, p_s),  with a rate p_s around θ_j, and the truth θ = g⁻¹(x₀).
//
// Scatter says how rates lie around θ_j: [CellRates] has one rate for all surveys of a cell, and [VillageRates] one for
// each survey.
//
// Median and spread of Examined are close to 3374 real surveys of Kenya, Ethiopia, Burkina Faso, Nigeria and cities of
// 18 countries. The quantiles of the real numbers examined at 5, 25, 50, 75 and 95% are 5, 19, 75, 112 and 475
// (geometric mean 54, standard deviation of the logarithm 1.40). With the defaults they are 7, 25, 60, 144 and 509.
type Campaign struct {
	// Cells is the share of all cells, sea included, that have a survey. Default 0.1; the
	// paper's data are in 10.75% of its cells.
	Cells float64
	// Examined is the median of the number examined. Default 60. The standard deviation of its logarithm is 1.3.
	Examined float64
	// Scatter is how the rates of surveys lie around the prevalence of their cell. Default: they are equal to it, so
	// that the sum of a cell is binomial.
	Scatter Scatter
	// Likelihood is the likelihood of the surveys. Its family must be Binomial. Default:
	// Binomial with θ = sigmoid(5 x), as in the paper.
	Likelihood expfam.Likelihood
	// Seed selects the random numbers. The places and the numbers examined depend on the
	// seed and not on the truth. The positives depend on both.
	Seed uint64
}

// Simulated is a survey campaign whose truth is known.
type Simulated struct {
	Likelihood expfam.Likelihood
	Sites      []Site
	Cells      *Cells
	// Theta is the true prevalence θ_j of every cell, and Rate the rate around which its surveys scatter: p_j of
	// CellRates, and otherwise θ_j. Both are 0 in cells outside.
	Theta, Rate []float64
	// SiteRates has the rate p_s of each of the Sites.
	SiteRates []float64
}

// Simulate simulates the surveys on a map whose latent field is x0.
func (c Campaign) Simulate(m *land.Map, x0 []float64) (*Simulated, error) {
	cells, err := NewCells(m)
	if err != nil {
		return nil, err
	}
	c.Cells = cmp.Or(c.Cells, 0.1)
	c.Examined = cmp.Or(c.Examined, 60)
	if c.Likelihood.Family == nil {
		c.Likelihood.Family = expfam.Binomial{}
	}
	if c.Likelihood.Link == nil {
		c.Likelihood.Link = expfam.MustLink("sigmoid(5*x)")
	}
	if err := c.check(cells, x0); err != nil {
		return nil, fmt.Errorf("survey: campaign: %w", err)
	}
	out := &Simulated{Likelihood: c.Likelihood, Cells: cells, Theta: make([]float64, len(x0)),
		Rate: make([]float64, len(x0))}
	rates, villages := expfam.Stream(c.Seed, "campaign/rates"), expfam.Stream(c.Seed, "campaign/villages")
	ofCell, ofVillage := 0.0, 0.0
	if c.Scatter != nil {
		ofCell, ofVillage = c.Scatter.Correlations()
	}
	for j, v := range x0 {
		if m.Grid.Inside(j) {
			out.Theta[j] = c.Likelihood.Link.At(v)
		}
	}
	for j, theta := range out.Theta {
		switch {
		case !m.Grid.Inside(j):
			out.Theta[j] = 0
		case !(theta >= 0 && theta <= 1):
			return nil, fmt.Errorf("survey: campaign: cell %d: theta is %g at x = %g; a prevalence is within [0, 1]", j,
				theta, x0[j])
		default:
			out.Rate[j] = rate(theta, ofCell, rates)
		}
	}
	examined, positives := expfam.Stream(c.Seed, "campaign/examined"), expfam.Stream(c.Seed, "campaign/positives")
	left := int(math.Ceil(c.Cells*float64(len(x0)) - 1e-9)) // cells that still need a survey
	err = newDesign(m, c.Seed).visit(func(p land.Position, j, cluster int) (more bool) {
		s := Site{Lon: p.Lon, Lat: p.Lat, Examined: c.examined(examined),
			Name: fmt.Sprintf("simulated, cluster %d", cluster)}
		own := rate(out.Rate[j], ofVillage, villages)
		s.Positive = int(distuv.Binomial{N: float64(s.Examined), P: own, Src: positives}.Rand())
		out.Sites, out.SiteRates = append(out.Sites, s), append(out.SiteRates, own)
		if cells.Add(s); cells.Surveys[j] == 1 {
			left--
		}
		return left > 0
	})
	if err != nil {
		return nil, fmt.Errorf("survey: campaign: %w", err)
	}
	return out, nil
}

// examinedSpread is the standard deviation of the logarithm of the number examined.
const examinedSpread = 1.3

// examined draws the number examined in a survey.
func (c Campaign) examined(rng *rand.Rand) int {
	n := math.Round(c.Examined * math.Exp(examinedSpread*rng.NormFloat64()))
	return int(min(max(n, 1), 1e5))
}

// rate returns θ if ρ is 0, and otherwise a draw of Beta(θ s, (1 − θ) s) with s = 1/ρ − 1.
func rate(theta, rho float64, rng *rand.Rand) float64 {
	if rho == 0 || theta == 0 || theta == 1 {
		return theta
	}
	s := 1/rho - 1
	return expfam.Standard{Conjugate: expfam.BetaPrior{}, A: theta * s, B: (1 - theta) * s}.Rand(rng)
}

func (c Campaign) check(cells *Cells, x0 []float64) error {
	grid := cells.Map.Grid
	if len(x0) != grid.Len() {
		return fmt.Errorf("a latent field of %d cells on a map of %d by %d", len(x0), grid.Rows, grid.Cols)
	}
	if land := float64(cells.Map.Land()); !(c.Cells > 0) || c.Cells*float64(grid.Len()) > 0.9*land {
		return fmt.Errorf("surveys in %g%% of all cells, %.3g%% of which are land; ask for at most nine tenths of "+
			"the land", 100*c.Cells, 100*land/float64(grid.Len()))
	}
	if !(c.Examined >= 1 && c.Examined <= 1e5) {
		return fmt.Errorf("a median of %g examined; give 1 to 100000", c.Examined)
	}
	if c.Scatter != nil {
		if cell, village := c.Scatter.Correlations(); !(cell >= 0 && cell < 1 && village >= 0 && village < 1) {
			return fmt.Errorf("correlations of %g in cells and %g in villages; give them in [0, 1)", cell, village)
		}
	}
	if _, ok := c.Likelihood.Family.(expfam.Binomial); !ok {
		return fmt.Errorf("the family is %s; positives of those examined are Binomial", c.Likelihood.Family)
	}
	return c.Likelihood.Check()
}

// String says that this is simulated.
func (s *Simulated) String() string {
	return "simulated survey campaign, no real data: " + s.Cells.String()
}

// Scatter says how the rates of a simulated [Campaign] lie around the prevalence θ_j of their cell: by a Beta law with
// the mean θ_j and the variance ρ θ_j (1 − θ_j). A scatter of one's own is a type with these methods.
type Scatter interface {
	String() string
	// Correlations returns ρ of the rates of cells around θ_j, and ρ of the rates of surveys around that of their cell.
	Correlations() (ofCells, ofVillages float64)
}

// CellRates gives each cell one rate, which all of its surveys share: a nugget of the map. Two people of a cell are
// correlated by ρ, whether they are of one survey or of two. The sum of a cell is exactly [expfam.BetaBinomial] with
// the intraclass correlation ρ. The prevalence among the people of the cell is its rate, and θ_j is the mean of such
// rates.
type CellRates struct{ Rho float64 }

func (s CellRates) String() string { return fmt.Sprintf("one rate a cell, rho %g", s.Rho) }

// Correlations implements [Scatter].
func (s CellRates) Correlations() (ofCells, ofVillages float64) { return s.Rho, 0 }

// VillageRates gives each survey a rate of its own: villages differ. Two people of a survey are correlated by ρ, and
// two of different surveys of a cell not at all. The positives of each survey are beta-binomial, but not their sum:
// over S surveys of n_s people each it has the variance
//
//	θ (1 − θ) Σ n_s (1 + (n_s − 1) ρ),
//
// that of a beta-binomial sum whose correlation is ρ Σ n_s (n_s − 1) / (N (N − 1)) with N = Σ n_s, about ρ/S. The
// prevalence among the people of many villages of the cell is θ_j.
type VillageRates struct{ Rho float64 }

func (s VillageRates) String() string { return fmt.Sprintf("one rate a village, rho %g", s.Rho) }

// Correlations implements [Scatter].
func (s VillageRates) Correlations() (ofCells, ofVillages float64) { return 0, s.Rho }
