package survey

import "fmt"

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
