package certify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/certify"
)

// Report is the certificate of draws. Sizes are in standard deviations of the posterior.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// P is the probability that exact draws deviate as much. Rate is the one below which they are called wrong.
	P    float64 `json:"p"`
	Rate float64 `json:"rate"`

	Draws     int     `json:"draws"`
	Chains    int     `json:"chains"`
	Effective float64 `json:"effective"` // independent draws to which the draws are equivalent, on average
	// Location is the root mean square of the parameters' shifts, and Floor what exact draws of this number have.
	Location float64 `json:"location"`
	Floor    float64 `json:"floor"`
	// MeanWidth is the standard deviation of the draws over the posterior's, on average over all directions.
	MeanWidth   float64     `json:"mean_width"`
	MeanWidthSE float64     `json:"mean_width_se"`
	Worst       Direction   `json:"worst"`
	Parameters  []Parameter `json:"parameters"`
	Notes       []string    `json:"notes"` // what the certificate cannot see, and the draws show

	split bool
}

// Parameter is what is found of one parameter, given by its score alone.
type Parameter struct {
	Name string `json:"name"`
	// Shift is the mean of the draws minus that of the posterior, in posterior standard deviations. Width is the
	// standard deviation of the draws over the posterior's, as far as the scores tell.
	Shift   float64 `json:"shift"`
	ShiftSE float64 `json:"shift_se"`
	Width   float64 `json:"width"`
	WidthSE float64 `json:"width_se"`
	Draws   float64 `json:"draws"` // effective number
	// RHat compares halves of chains, 1 if they agree. Spread is the variance of the draws over what the scores
	// explain, 1 for a normal posterior. Tail is the share of the information that a hundredth of the draws has.
	RHat   float64 `json:"rhat"`
	Spread float64 `json:"spread"`
	Tail   float64 `json:"tail"`
}

// Verdict says whether draws are the posterior's.
type Verdict string

// The verdicts.
const (
	Agrees   Verdict = "agrees"
	Doubtful Verdict = "doubtful"
	Wrong    Verdict = "wrong"
)

const (
	// doubt times the rate is the probability below which draws are doubtful.
	doubt = 5
	// enough is the number of effective draws of a parameter from which its standard errors are those of the theory.
	enough = 100
	// leastWidth stands for a mean width whose square is estimated as 0 or less.
	leastWidth = 1e-3
)

// judge finds the verdict. Draws are wrong if exact ones deviate as much with a probability below the rate and the
// deviation is not small. They are doubtful if it is small, if the probability is below five times the rate, if so few
// draws are effective, or have the information, that the certificate sees little, or if chains lie in different places.
//
// Few effective draws make their own number uncertain, and with it the probability. If a parameter has less than 100 of
// them, draws are wrong below rate^(100/number), and else doubtful: in tests of exact chains with 5 to 100 effective
// draws the verdict is then wrong as often as the rate says or less.
func (r *Report) judge() {
	switch {
	case r.P < r.sure() && !r.small():
		r.Verdict = Wrong
	case r.P < doubt*r.Rate, r.Floor > certify.Blind, r.MeanWidthSE > certify.Blind, r.split:
		r.Verdict = Doubtful
	default:
		r.Verdict = Agrees
	}
}

// sure is the probability below which draws that deviate are wrong.
func (r *Report) sure() float64 { return math.Pow(r.Rate, math.Max(1, enough/r.slowest().Draws)) }

// slowest returns the parameter with the fewest effective draws.
func (r *Report) slowest() Parameter {
	return slices.MinFunc(r.Parameters, func(a, b Parameter) int { return cmp.Compare(a.Draws, b.Draws) })
}

// small reports whether no deviation is more than small.
func (r *Report) small() bool {
	if math.Abs(r.MeanWidth-1) > certify.SmallWidth {
		return false
	}
	shift := func(v, se float64) bool { return math.Abs(v) <= math.Max(certify.SmallShift, 3*se) }
	width := func(v, se float64) bool { return math.Abs(v-1) <= math.Max(certify.SmallWidth, 3*se) }
	for _, p := range r.Parameters {
		if !shift(p.Shift, p.ShiftSE) || !width(p.Width, p.WidthSE) {
			return false
		}
	}
	return r.Worst.Of == ofWidth && width(r.Worst.Value, r.Worst.SE) ||
		r.Worst.Of != ofWidth && shift(r.Worst.Value, r.Worst.SE)
}

// shown is the number of parameters that String lists.
const shown = 10

// String is the certificate as text: the verdict, the sizes, the parameters that deviate most, and what is not seen.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: exact draws deviate as much with probability %s (rate of false alarms %v)\n",
		map[Verdict]string{Agrees: "agrees with the posterior", Doubtful: "doubtful", Wrong: "wrong"}[r.Verdict],
		probability(r.P), r.Rate)
	chains := "independent draws"
	if r.Chains > 0 {
		chains = fmt.Sprintf("draws of %d chains, %.0f effective", r.Chains, r.Effective)
	}
	fmt.Fprintf(&b, "%d %s, %d parameters\n", r.Draws, chains, len(r.Parameters))
	fmt.Fprintf(&b, "location  %s sd off (exact draws: %s)\n", decimals(r.Location), decimals(r.Floor))
	fmt.Fprintf(&b, "width     %s ± %s of the posterior's\n", decimals(r.MeanWidth), decimals(r.MeanWidthSE))
	switch r.Worst.Of {
	case ofLocation:
		fmt.Fprintf(&b, "worst     %+.2f ± %s sd along %s (t %.1f)\n", r.Worst.Value, decimals(r.Worst.SE), r.Worst,
			r.Worst.T)
	case ofWidth:
		fmt.Fprintf(&b, "worst     width %s ± %s along %s (t %.1f)\n", decimals(r.Worst.Value), decimals(r.Worst.SE),
			r.Worst, r.Worst.T)
	}
	r.table(&b)
	if r.Floor > certify.Blind {
		fmt.Fprintf(&b, "sees little: %.0f effective draws leave shifts of %s sd unseen; make more draws\n",
			r.Effective, decimals(2*r.Floor))
	}
	if r.Verdict != Wrong && r.MeanWidthSE > certify.Blind {
		b.WriteString("sees little: a few draws far out decide about the width; look whether each gradient is that " +
			"of its draw\n")
	}
	if p := r.slowest(); r.P < r.Rate && r.P >= r.sure() {
		fmt.Fprintf(&b, "not sure: %.0f effective draws of %s are too few to say how uncertain they are; make more "+
			"draws\n", p.Draws, p.Name)
	}
	if r.MeanWidth <= leastWidth {
		b.WriteString("wrong sign? the gradients lead away from the draws: give those of the log density, not of its " +
			"negative, such as TMB's obj$gr or a potential energy\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "not seen: %s\n", note)
	}
	if len(r.Notes) == 0 {
		b.WriteString("never seen: the weights of separate modes, and places where no draw lies\n")
	}
	return b.String()
}

// table lists the parameters that deviate most.
func (r *Report) table(b *strings.Builder) {
	off := func(p Parameter) float64 {
		return math.Max(math.Abs(p.Shift)/p.ShiftSE, math.Abs(p.Width-1)/p.WidthSE)
	}
	all := slices.Clone(r.Parameters)
	slices.SortStableFunc(all, func(a, b Parameter) int {
		if off(a) > off(b) {
			return -1
		}
		return 1
	})
	wide := len("parameter")
	for _, p := range all[:min(shown, len(all))] {
		wide = max(wide, len([]rune(p.Name)))
	}
	fmt.Fprintf(b, "\n%-*s  shift (sd)     width          draws\n", wide, "parameter")
	for _, p := range all[:min(shown, len(all))] {
		fmt.Fprintf(b, "%-*s  %+.2f ± %-5s  %5s ± %-5s  %5.0f\n", wide, p.Name, p.Shift, decimals(p.ShiftSE),
			decimals(p.Width), decimals(p.WidthSE), p.Draws)
	}
	if len(all) > shown {
		fmt.Fprintf(b, "and %d more\n", len(all)-shown)
	}
	b.WriteByte('\n')
}

// decimals writes a number with two decimals and no zero before the point.
func decimals(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0") }

// probability writes a probability with one digit, "below .0001" if it is.
func probability(p float64) string {
	if p < 1e-4 {
		return "below .0001"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.2g", p), "0")
}

// Names returns the names of the parameters.
func (r *Report) Names() (names []string) {
	for _, p := range r.Parameters {
		names = append(names, p.Name)
	}
	return names
}

// Shifts returns the parameters' shifts and their standard errors; see viz.Certificate.
func (r *Report) Shifts() (values, errors []float64) {
	for _, p := range r.Parameters {
		values, errors = append(values, p.Shift), append(errors, p.ShiftSE)
	}
	return values, errors
}

// Widths returns the parameters' widths and their standard errors.
func (r *Report) Widths() (values, errors []float64) {
	for _, p := range r.Parameters {
		values, errors = append(values, p.Width), append(errors, p.WidthSE)
	}
	return values, errors
}
