// Package reallot moves counts from the districts of one year to the districts of another.
package reallot

import (
	"context"
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/speak"
)

// Reallot says what the counts of old districts tell about new ones. The cells of a fine grid have rates λⱼ = e^x₀ⱼ a
// person, old district k has the count
//
//	y_k ~ Poisson(Σⱼ a_kj w_j λ_j)
//
// with the share a_kj of cell j that lies in it and the people w_j of the cell, and a new district has the same sum
// over its own shares. Area weighting takes λ as constant in every old district; here neighbouring cells have similar
// rates. Cases among n examined people of a district of P people are Poisson with n/P times that sum, as of a rare
// disease.
//
//	r := reallot.Reallot{From: old, To: recent, Grid: g, People: people, Prior: prior}
//	post, err := r.Sample(cases, diffusion.Sampler{})
type Reallot struct {
	From, To []land.Region
	Grid     grid.Grid
	// Projection turns coordinates of the regions into those of the grid. Default: both have the same coordinates.
	Projection land.Projection
	// People has the people of each cell. Default: the areas of the cells.
	People []float64
	// Prior is the prior of x₀, the logarithms of the rates, such as gmrf.Prior.Field or a learned prior of images.
	Prior expfam.Prior
	// Least is the share of every region that must lie on the grid; see [operator.Polygons].
	Least float64
	// Also has counts by other districts, such as the cases among people who were examined in another year.
	Also []Source
}

// Source has the counts of the same rates by districts of its own.
type Source struct {
	Regions []land.Region
	Counts  []float64
	// Examined is the number of people of each district among whom cases were counted. Default: all of them.
	Examined []float64
}

// Sample returns draws of the expected counts of the districts To, with their names.
func (r Reallot) Sample(counts []float64, s diffusion.Sampler) (*expfam.Posterior, error) {
	ctx, end := speak.Work("reallotting", "noise level")
	defer end()
	return r.SampleContext(ctx, counts, s)
}

// SampleContext is [Reallot.Sample] that ends with ctx.
func (r Reallot) SampleContext(ctx context.Context, counts []float64, s diffusion.Sampler) (*expfam.Posterior, error) {
	field, err := r.Field(ctx, counts, s)
	if err != nil {
		return nil, err
	}
	post, err := field.Through(r.over(r.To))
	if err != nil {
		return nil, fmt.Errorf("reallot: the new districts: %w", err)
	}
	return post, nil
}

// Field returns the posterior of the rates of the cells.
func (r Reallot) Field(ctx context.Context, counts []float64, s diffusion.Sampler) (*expfam.Posterior, error) {
	if r.Prior == nil {
		return nil, fmt.Errorf("reallot: there is no Prior of the rates of %d cells; give gmrf.Prior.Field or "+
			"another one", r.Grid.Len())
	}
	if err := traits.Check(r.Prior); err != nil {
		return nil, err
	}
	if r.Prior.Dim() != r.Grid.Len() {
		return nil, fmt.Errorf("reallot: the prior has %d cells and the grid %d; give a prior of the grid",
			r.Prior.Dim(), r.Grid.Len())
	}
	y, known, err := r.data(counts)
	if err != nil {
		return nil, err
	}
	regions := slices.Clone(r.From)
	for _, s := range r.Also {
		regions = append(regions, s.Regions...)
	}
	old := r.over(regions)
	if err := old.Check(); err != nil {
		return nil, fmt.Errorf("reallot: the old districts: %w", err)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: expfam.SumOf{Operator: old}}
	obs, err := like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{known}})
	if err != nil {
		return nil, fmt.Errorf("reallot: %w", err)
	}
	return diffusion.SampleContext(ctx, r.Prior, like, obs, s)
}

// data returns the counts of all sources, and the shares of the people among whom they were counted.
func (r Reallot) data(counts []float64) (y, known []float64, err error) {
	for k, s := range append([]Source{{Regions: r.From, Counts: counts}}, r.Also...) {
		name := "old"
		if k > 0 {
			name = fmt.Sprintf("Also[%d]'s", k-1)
		}
		for what, n := range map[string]int{"counts": len(s.Counts), "numbers of people examined": len(s.Examined)} {
			if n != len(s.Regions) && (what == "counts" || s.Examined != nil) {
				return nil, nil, fmt.Errorf("reallot: %d %s of %d %s districts; give one for each", n, what,
					len(s.Regions), name)
			}
		}
		over := r.over(s.Regions)
		if err := over.Check(); err != nil {
			return nil, nil, fmt.Errorf("reallot: the %s districts: %w", name, err)
		}
		for i := range s.Regions {
			share := 1.0
			if s.Examined != nil {
				var people float64
				over.Row(i, func(_ int, w float64) { people += w })
				if share = s.Examined[i] / people; !(share > 0) {
					return nil, nil, fmt.Errorf("reallot: of the %g people of %s district %q %g were examined; leave "+
						"out districts without any", people, name, s.Regions[i].Name, s.Examined[i])
				}
			}
			known = append(known, share)
		}
		y = append(y, s.Counts...)
	}
	return y, known, nil
}

// over returns sums over regions.
func (r Reallot) over(regions []land.Region) *operator.Polygons {
	return &operator.Polygons{Grid: r.Grid, Regions: regions, Projection: r.Projection, Weights: r.People,
		Least: r.Least}
}
