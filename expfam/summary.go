package expfam

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
)

// summaryEnds is how many cells a summary shows at each end of a longer posterior.
const summaryEnds = 5

// String is a summary as people read it: what was sampled and how, and for the first and the
// last cells the mean, the standard deviation, the median and the equal-tailed 95% interval
// of θ, with the same of the average over all cells. A notebook shows it where a posterior
// is the value of a cell.
func (p *Posterior) String() string {
	if p == nil || p.X == nil {
		return "no posterior"
	}
	draws, cells := p.Dims()
	var text strings.Builder
	symbol := "θ"
	if p.Likelihood.link() == nil {
		symbol = "x₀"
	}
	fmt.Fprintf(&text, "%d draws of %s in %d cells", draws, symbol, cells)
	if p.Likelihood.Family != nil {
		fmt.Fprintf(&text, ": %v", p.Likelihood)
	}
	text.WriteString("\n" + p.Info.String() + "\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "cell\tmean\tsd\t2.5%%\tmedian\t97.5%%\t\n")
	row := func(name string, d *Draws) {
		low, high := d.EqualTailed(0.95)
		fmt.Fprintf(table, "%s\t%.4g\t%.3g\t%.4g\t%.4g\t%.4g\t\n", name, d.Mean()[0], d.SD()[0], low[0], d.Median()[0], high[0])
	}
	theta := p.Theta()
	for j := 0; j < cells; j++ {
		if j == summaryEnds && cells > 2*summaryEnds+1 {
			fmt.Fprintln(table, "…\t\t\t\t\t\t")
			j = cells - summaryEnds
		}
		row(fmt.Sprint(j), &Draws{X: mat.NewDense(draws, 1, mat.Col(nil, j, theta.X))})
	}
	if cells > 1 {
		average := theta.Functional(func(x []float64) float64 {
			var sum float64
			for _, v := range x {
				sum += v
			}
			return sum / float64(len(x))
		})
		row("average", &Draws{X: mat.NewDense(draws, 1, average)})
	}
	table.Flush()
	return strings.TrimRight(text.String(), "\n")
}

// String says in a line how the draws were made.
func (i Info) String() string {
	parts := []string{i.Method}
	if i.Method == "" {
		parts[0] = "draws of somebody else's sampler"
	}
	if i.Evaluations > 0 {
		parts = append(parts, fmt.Sprintf("%d evaluations a draw", i.Evaluations))
	}
	for _, name := range slices.Sorted(maps.Keys(i.Diagnostics)) {
		switch name {
		case "rhat", "ess_bulk", "ess_tail", "divergences":
			parts = append(parts, fmt.Sprintf("%s %.4g", name, i.Diagnostics[name]))
		}
	}
	if i.Engine != "" {
		parts = append(parts, "on "+i.Engine)
	}
	if i.Seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.2g s", i.Seconds))
	}
	return strings.Join(parts, ", ")
}
