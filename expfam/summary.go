package expfam

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A summary shows all cells of a posterior of up to summaryWhole, and summaryEnds at each end of a longer one.
const summaryWhole, summaryEnds = 60, 5

// String returns a summary: what was sampled and how, and a table of the mean, the standard deviation, the median and
// the equal-tailed 95% interval of θ. The rows of the table are the parameters, the cells, and the average over all
// cells. Of more than 60 cells the table has the first and the last, and on a grid the cells with the lowest and the
// highest mean. A notebook shows the summary if the value of a notebook cell is a posterior.
func (p *Posterior) String() string {
	if p == nil || p.X == nil {
		return "no posterior"
	}
	draws, cells := p.Dims()
	var text strings.Builder
	what, how := p.Describe()
	fmt.Fprintf(&text, "%s\n%s\n", what, how)
	if alarm := p.Alarm(); alarm != "" {
		fmt.Fprintln(&text, alarm)
	}
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "cell\tmean\tsd\t2.5%%\tmedian\t97.5%%\t\n")
	row := func(name string, d *Draws) {
		if draws == 1 { // it has no interval
			fmt.Fprintf(table, "%s\t%.4g\t–\t–\t%.4g\t–\t\n", name, d.Mean()[0], d.Median()[0])
			return
		}
		low, high := d.EqualTailed(0.95)
		fmt.Fprintf(table, "%s\t%.4g\t%.3g\t%.4g\t%.4g\t%.4g\t\n", name, d.Mean()[0], d.SD()[0], low[0], d.Median()[0],
			high[0])
	}
	var tails []string
	for _, q := range p.Parameters {
		if tail := q.Tail(); tail != "" {
			low, high := q.EqualTailed(0.95)
			fmt.Fprintf(table, "%s\t–\t–\t%.4g\t%.4g\t%.4g\t\n", q.Label(), low, q.Median(), high)
			tails = append(tails, q.Label()+": "+tail)
			continue
		}
		row(q.Label(), q.column())
	}
	theta := p.Theta()
	cell := func(name string, j int) { row(name, &Draws{X: mat.NewDense(draws, 1, mat.Col(nil, j, theta.X))}) }
	if rows, cols := p.Shape(); rows > 1 && cols > 1 {
		mean := theta.Mean()
		low, high := floats.MinIdx(mean), floats.MaxIdx(mean)
		cell(fmt.Sprintf("lowest mean: row %d, column %d", low/cols, low%cols), low)
		cell(fmt.Sprintf("highest mean: row %d, column %d", high/cols, high%cols), high)
	} else {
		names := p.CellNames()
		for j := 0; j < cells; j++ {
			if j == summaryEnds && cells > summaryWhole {
				fmt.Fprintln(table, "…\t\t\t\t\t\t")
				j = cells - summaryEnds
			}
			name := fmt.Sprint(j)
			if names != nil {
				name += " " + names[j]
			}
			cell(name, j)
		}
	}
	if cells > 1 {
		average := theta.Functional(func(x []float64) float64 { return stat.Mean(x, nil) })
		row("average", &Draws{X: mat.NewDense(draws, 1, average)})
	}
	table.Flush()
	for _, tail := range tails {
		fmt.Fprintln(&text, tail)
	}
	return strings.TrimRight(text.String(), "\n")
}

// Describe gives two lines. The first names what was drawn: how many draws of which cells, and
// to how many independent draws they are equivalent. The second gives the method and its time.
func (p *Posterior) Describe() (what, how string) {
	draws, cells := p.Dims()
	count := fmt.Sprintf("%d draws", draws)
	switch effective := p.Effective(); {
	case math.IsNaN(effective):
	case effective == float64(draws):
		count = fmt.Sprintf("%d independent draws", draws)
	default:
		count += fmt.Sprintf(" (effectively at least %.0f)", effective)
	}
	symbol := "θ"
	if p.Likelihood.link() == nil {
		symbol = "x₀"
	}
	rows, cols := p.Shape()
	switch {
	case p.Info.Quantity != "":
		what = fmt.Sprintf("%s of %s", count, p.Info.Quantity)
	case cells == 1:
		what = fmt.Sprintf("%s of %s in 1 cell", count, symbol)
	case rows > 1 && cols > 1:
		what = fmt.Sprintf("%s of %s in %d × %d cells", count, symbol, rows, cols)
	default:
		what = fmt.Sprintf("%s of %s in %d cells", count, symbol, cells)
	}
	if p.Likelihood.Family != nil {
		what += fmt.Sprintf(": %v", p.Likelihood)
	}
	return what, p.Info.String()
}

// Effective returns the number of independent draws to which the draws are equivalent, for the centre of the worst
// cell. For samplers with independent draws it is the number of draws. For chains it is the diagnostic
// "ess_bulk". It is NaN if the origin of the draws is not known, or for chains without this diagnostic.
func (p *Posterior) Effective() float64 {
	if n, ok := p.Info.Diagnostics["ess_bulk"]; ok {
		return n
	}
	if p.Info.Method == "" || p.Info.Chains > 0 {
		return math.NaN()
	}
	draws, _ := p.Dims()
	return float64(draws)
}

// shapeOf returns the two-dimensional grid of a prior that is a [Lattice], or else 0 and 0.
func shapeOf(prior Prior) (rows, cols int) {
	if l, ok := prior.(Lattice); ok {
		if rows, cols = l.Lattice(); rows > 1 && cols > 1 && rows*cols == prior.Dim() {
			return rows, cols
		}
	}
	return 0, 0
}

// String returns one line: how the draws were made, and what their certificate found.
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
	switch {
	case i.Seconds >= 99.5: // %.2g would write 1e+02
		parts = append(parts, fmt.Sprintf("%.0f s", i.Seconds))
	case i.Seconds > 0:
		parts = append(parts, fmt.Sprintf("%.2g s", i.Seconds))
	}
	text := strings.Join(parts, ", ")
	if i.Certificate != nil {
		text += "; the certificate " + i.Certificate.String()
	} else if i.Uncertified != "" {
		text += "; no certificate: " + i.Uncertified
	}
	if i.Network != "" {
		text += "; " + i.Network
	}
	return text
}
