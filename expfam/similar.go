package expfam

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// nearest is the number of other draws whose mean is the place of a draw given its numbers.
	nearest = 24
	// mostCandidates is the number of draws among which they are sought.
	mostCandidates = 512
)

// information has the rows and the weights of [latent.Data].Precision.
type information struct {
	rows func(k int, visit func(cell int, weight float64))
	w    []float64
}

// similar has for each draw which other draws have similar unknown numbers. They are chosen by the numbers alone, and
// a draw is none of its own, so that given the numbers their mean is independent of the draw. Without numbers near is
// empty, and all other draws count.
type similar struct {
	x    *mat.Dense
	near [][]int
	sum  []float64 // of all draws
}

func (c *comparison) similar() *similar {
	draws, cells := c.x.Dims()
	s := &similar{x: c.x}
	if len(c.parameters) == 0 {
		s.sum = make([]float64, cells)
		for i := range draws {
			floats.Add(s.sum, c.x.RawRowView(i))
		}
		return s
	}
	type candidate struct {
		draw     int
		distance float64
	}
	s.near = make([][]int, draws)
	stride := 1 + (draws-1)/mostCandidates
	parallel.For(draws, parallel.Heavy, func(i int) {
		near := make([]candidate, 0, nearest+1) // by distance; of equal distances the earlier draw is first
		for j := i % stride; j < draws; j += stride {
			if j == i {
				continue
			}
			var distance float64
			for _, q := range c.parameters {
				distance = math.Max(distance, math.Abs(q[i]-q[j]))
			}
			if len(near) == nearest && distance >= near[nearest-1].distance {
				continue
			}
			place := len(near)
			for place > 0 && near[place-1].distance > distance {
				place--
			}
			near = slices.Insert(near, place, candidate{j, distance})
			near = near[:min(len(near), nearest)]
		}
		for _, at := range near {
			s.near[i] = append(s.near[i], at.draw)
		}
	})
	return s
}

// mean writes the mean of the other draws that are similar to a draw.
func (s *similar) mean(draw int, to []float64) {
	if s.near == nil {
		floats.SubTo(to, s.sum, s.x.RawRowView(draw))
		draws, _ := s.x.Dims()
		floats.Scale(1/float64(draws-1), to)
		return
	}
	clear(to)
	for _, j := range s.near[draw] {
		floats.Add(to, s.x.RawRowView(j))
	}
	floats.Scale(1/float64(len(s.near[draw])), to)
}

// information returns the information of data at the mean of the draws that are similar to a draw.
func (s *similar) information(draw int, data latent.Data) (out information) {
	_, cells := s.x.Dims()
	at := make([]float64, cells)
	s.mean(draw, at)
	out.rows, out.w = data.Precision(at)
	return out
}

// ranks returns the ranks of values, those of equal values being equal.
func ranks(values []float64) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	out := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		out[i] = float64(first)
	}
	return out
}
