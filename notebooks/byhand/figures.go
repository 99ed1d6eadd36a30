package byhand

import (
	"fmt"
	"image/color"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/notebooks/microscope"
	"github.com/expfam/lab/viz"
)

// Colours of the lesson: what is exact is black, what a walk or a regression found is blue.
var (
	Exact = viz.Ink
	Found = viz.OkabeIto[0]
	Wrong = viz.OkabeIto[1]
	Data  = viz.OkabeIto[2]
	Faint = color.NRGBA{0x99, 0x99, 0x99, 0x90}
)

// Histogram is the outline of a histogram, filled.
func Histogram(name string, c color.NRGBA, draws []float64, low, high float64) viz.Line {
	line := Outline(name, c, draws, low, high)
	line.Low, line.High = make([]float64, len(line.Y)), line.Y
	return line
}

// Outline is the outline of a histogram with the area 1. Draws outside of the frame are left out of it.
func Outline(name string, c color.NRGBA, draws []float64, low, high float64) viz.Line {
	const bins = 60
	width := (high - low) / bins
	counts := make([]float64, bins)
	for _, x := range draws {
		if k := int(math.Floor((x - low) / width)); k >= 0 && (k < bins || x == high) {
			counts[min(k, bins-1)] += 1 / (float64(len(draws)) * width)
		}
	}
	line := viz.Line{Name: name, Color: c}
	for k, y := range counts {
		left := low + float64(k)*width
		line.X, line.Y = append(line.X, left, left+width), append(line.Y, y, y)
	}
	return line
}

// Density is the curve of a density.
func Density(name string, c color.NRGBA, of microscope.Law, low, high float64) viz.Line {
	return Curve(name, c, func(x float64) float64 { return math.Exp(of.LogProb(x)) }, low, high)
}

// Curve is the curve of a function.
func Curve(name string, c color.NRGBA, f func(x float64) float64, low, high float64) viz.Line {
	const points = 161
	line := viz.Line{Name: name, Color: c}
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		line.X, line.Y = append(line.X, x), append(line.Y, f(x))
	}
	return line
}

// group returns the name of a part of the prior, and its place in the order of the means.
func (n Number) group(part int) (name string, at int) {
	for _, c := range n.Prior {
		if c.Mean < n.Prior[part].Mean {
			at++
		}
	}
	if len(n.Prior) == 2 {
		return []string{"lower group", "upper group"}[at], at
	}
	return fmt.Sprintf("group %d", at+1), at
}

// Paths shows walks against time. Each has the colour of the part of the prior that it starts from or ends nearest to.
func (n Number) Paths(title, label string, times []float64, paths [][]float64, part []int) viz.Lines {
	fig := viz.Lines{Title: title, XLabel: label, YLabel: "x", YMin: -3, YMax: 3}
	for i, p := range paths {
		name, at := n.group(part[i])
		fig.Lines = append(fig.Lines, viz.Line{Name: name, Color: viz.OkabeIto[at%len(viz.OkabeIto)], X: times, Y: p})
	}
	return fig
}

// Part returns the part of the prior whose mean is nearest to x.
func (n Number) Part(x float64) (nearest int) {
	for k, c := range n.Prior {
		if math.Abs(x-c.Mean) < math.Abs(x-n.Prior[nearest].Mean) {
			nearest = k
		}
	}
	return nearest
}

// There is the walk into noise of draws of the prior, dx = −½βx dt + √β dw.
func (n Number) There(count, steps int, seed uint64) viz.Lines {
	x0, part := n.Draw(count, seed)
	rng := expfam.Stream(seed, "there")
	paths := make([][]float64, count)
	for i, x := range x0 {
		paths[i] = []float64{x}
		for k := range steps {
			b := schedule.Beta((float64(k)+0.5)/float64(steps)) / float64(steps)
			x += -b/2*x + math.Sqrt(b)*rng.NormFloat64()
			paths[i] = append(paths[i], x)
		}
	}
	return n.Paths("Noise is added: two groups become one", "time t", ticks(steps), paths, part)
}

// Back is the walk out of noise: the reverse of There, with the exact score.
func (n Number) Back(count, steps int, seed uint64) viz.Lines {
	rng := expfam.Stream(seed, "back")
	paths, part := make([][]float64, count), make([]int, count)
	for i := range paths {
		x := rng.NormFloat64()
		paths[i] = []float64{x}
		for k := steps; k > 0; k-- {
			t := float64(k) / float64(steps)
			b := schedule.Beta(t) / float64(steps)
			x += b*(x/2+n.Score(x, t)) + math.Sqrt(b)*rng.NormFloat64()
			paths[i] = append(paths[i], x)
		}
		part[i] = n.Part(x)
	}
	return n.Paths("Noise is removed: the groups come back", "time walked back, 1 − t", ticks(steps), paths, part)
}

func ticks(steps int) (t []float64) {
	for k := range steps + 1 {
		t = append(t, float64(k)/float64(steps))
	}
	return t
}
