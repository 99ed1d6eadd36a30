package microscope

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/viz"
)

// Alike returns m cells, each with the same observation.
func Alike(like expfam.Likelihood, y float64, m int) (Exchangeable, error) {
	if like.Family == nil {
		return Exchangeable{}, fmt.Errorf("microscope: there is no family; give one of Families")
	}
	term, err := like.Family.Reduce(y, expfam.Known{})
	return Exchangeable{Likelihood: like, Obs: slices.Repeat(expfam.Observations{term}, m)}, err
}

// Plane shows two cells given x_t: the standard deviation of x₀ around its mean, and arrows for the pulls of the
// observations on the mean.
func Plane(e Exchangeable, s Scene) (viz.Figure, error) {
	_, exact, err := e.Exact(s)
	if err != nil {
		return nil, err
	}
	mean, along, across := s.Moments(2)
	fig := viz.Lines{Title: fmt.Sprintf("σ = %.3g", s.Level.Sigma()), XLabel: "cell 1", YLabel: "cell 2", XMin: -1.5,
		XMax: 2.5, YMin: -1.5, YMax: 2.5}
	spread := viz.Line{Name: "sd given x_t", Dashed: true, Color: grey}
	for phi := 0.0; phi < 6.3; phi += 0.1 {
		a, b := math.Sqrt(along/2)*math.Cos(phi), math.Sqrt(across/2)*math.Sin(phi)
		spread.X, spread.Y = append(spread.X, mean[0]+a+b), append(spread.Y, mean[1]+a-b)
	}
	fig.Lines = []viz.Line{spread}
	arrow := func(name string, c color.NRGBA, width float64, shift []float64) {
		fig.Arrows = append(fig.Arrows, viz.Arrow{Name: name, Color: c, Width: width, X: mean[0], Y: mean[1],
			DX: shift[0], DY: shift[1]})
	}
	sum, err := e.Shift(diffusion.Evidence{}, s)
	if err != nil {
		return nil, err
	}
	corrected, err := e.Shift(diffusion.Corrected{}, s)
	if err != nil {
		return nil, err
	}
	arrow("sum", Conjugate, 2.2, sum[0])
	arrow("exact", Exact, 4.5, exact[0])
	arrow("corrected", Corrected, 1.8, corrected[0])
	return fig, nil
}

// noise returns noise levels σ, and the scene at x_t = 0 for each of them.
func noise(rho float64) (sigmas []float64, scenes []Scene) {
	for sigma := 0.02; sigma < 60; sigma *= 1.4 {
		sigmas, scenes = append(sigmas, sigma), append(scenes, Scene{Rho: rho, Level: level.At(sigma)})
	}
	return sigmas, scenes
}

// first returns the shifts of the first cell in all scenes as a line.
func first(name string, c color.NRGBA, sigmas []float64, shifts [][]float64) viz.Line {
	line := viz.Line{Name: name, Color: c, X: sigmas, Y: make([]float64, len(sigmas))}
	for i := range sigmas {
		line.Y[i] = shifts[i][0]
	}
	return line
}

// TooLarge shows how many times too large the sum of the exact evidences of single cells is: the pull of the sum over
// the pull of the exact evidence of all cells, against the noise level at x_t = 0.
func TooLarge(like expfam.Likelihood, y, rho float64, cells ...int) (viz.Figure, error) {
	fig := viz.Lines{Title: "How many times too large is the sum of evidences?", Ordered: true, LogX: true, LogY: true,
		XLabel: "noise level σ", YLabel: "pull of the sum / exact pull",
		Note: fmt.Sprintf("%v, y = %g in every cell, correlation %g.", like, y, rho)}
	sigmas, scenes := noise(rho)
	for _, m := range cells {
		e, err := Alike(like, y, m)
		if err != nil {
			return nil, err
		}
		_, exact, err := e.Exact(scenes...)
		if err != nil {
			return nil, err
		}
		sum, err := e.Shift(diffusion.Quadrature{Independent: true, Nodes: 31, Newton: 12}, scenes...)
		if err != nil {
			return nil, err
		}
		line := first(fmt.Sprintf("%d cells", m), color.NRGBA{}, sigmas, sum)
		for i := range line.Y {
			line.Y[i] /= exact[i][0]
		}
		fig.Lines = append(fig.Lines, line)
	}
	return fig, nil
}

// Together shows the pull on cells that are alike, for several guidances and exactly.
func Together(like expfam.Likelihood, y, rho float64, m int) (viz.Figure, error) {
	e, err := Alike(like, y, m)
	if err != nil {
		return nil, err
	}
	sigmas, scenes := noise(rho)
	_, exact, err := e.Exact(scenes...)
	if err != nil {
		return nil, err
	}
	fig := viz.Lines{LogX: true, XLabel: "noise level σ", YLabel: "pull on the mean",
		Title: fmt.Sprintf("%v, %d cells, y = %.4g", like.Family, m, y)}
	for _, g := range []struct {
		name  string
		color color.NRGBA
		guide diffusion.Guidance
	}{
		{"sum of evidences", Conjugate, diffusion.Evidence{}}, {"tempered", Tempered, diffusion.Tempered{}},
		{"corrected", Corrected, diffusion.Corrected{}}, {"quadrature, corrected", Marginal, diffusion.Quadrature{}},
	} {
		shifts, err := e.Shift(g.guide, scenes...)
		if err != nil {
			return nil, err
		}
		fig.Lines = append(fig.Lines, first(g.name, g.color, sigmas, shifts))
	}
	fig.Lines = append(fig.Lines, first("exact", Exact, sigmas, exact))
	fig.Lines[len(fig.Lines)-1].Dashed = true
	return fig, nil
}
