package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/internal/speak"
)

// Method is a prior and a sampler that the benchmark scores.
type Method struct {
	Name    string
	Prior   expfam.Prior
	Sampler diffusion.Sampler
}

// Score says how accurate a method is on a case, averaged over data sets.
type Score struct {
	Case, Method string
	calibrate.Distance
	// CISE, W1SE and CoverageSE are the standard errors of CI, W1 and Coverage over data sets. Cells of the same data
	// set are correlated, so they do not count as independent.
	CISE, W1SE, CoverageSE float64
	DataSets               int
	// Failed is the number of data sets on which the method diverged. They are not in the averages.
	Failed int
	// Sums is the share of sums over neighbouring cells whose 95% interval holds the true sum: five cells of a line, or
	// squares of 4×4 of a grid.
	Sums        float64
	Evaluations int     // evaluations of the prior's network per draw
	Products    int     // Jacobian products per draw
	Seconds     float64 // time per posterior, without compilation
}

func (s Score) String() string {
	return fmt.Sprintf("%-18s %-46s med %.3f  CI %.3f±%.3f  W1 %.3f±%.3f  cover %.3f±%.3f  fs %.2f  rough %.2f  "+
		"%d+%d evaluations  %.2fs  failed %d/%d",
		s.Case, s.Method, s.Med, s.CI, s.CISE, s.W1, s.W1SE, s.Coverage, s.CoverageSE, s.FS, s.Rough,
		s.Evaluations, s.Products, s.Seconds, s.Failed, s.DataSets)
}

// Run scores methods on the data sets of some seeds. Each method is compiled
// once and sampled with the seed of the data set.
func (c Case) Run(methods []Method, seeds []uint64) ([]Score, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return c.RunContext(ctx, methods, seeds)
}

// RunContext does what [Case.Run] does, and ends with ctx. The error is then [expfam.ErrInterrupted].
func (c Case) RunContext(ctx context.Context, methods []Method, seeds []uint64) ([]Score, error) {
	compiled := make([]*diffusion.Compiled, len(methods))
	scores := make([]Score, len(methods))
	distances := make([][]calibrate.Distance, len(methods))
	for i, m := range methods {
		var err error
		if compiled[i], err = diffusion.CompileContext(ctx, m.Prior, c.Likelihood, m.Sampler); err != nil {
			return nil, fmt.Errorf("benchmarks: %s: %w", m.Name, err)
		}
		defer compiled[i].Close()
		scores[i] = Score{Case: c.Name, Method: m.Name, DataSets: len(seeds)}
	}
	for _, seed := range seeds {
		data, err := c.Simulate(seed)
		if err != nil {
			return nil, err
		}
		truth, err := c.truth(data)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %s, seed %d: %w", c.Name, seed, err)
		}
		var posts []*expfam.Posterior
		var from []int // index of the method of each posterior
		for i := range methods {
			post, err := compiled[i].Sample(ctx, data.Obs, seed)
			if errors.Is(err, expfam.ErrInterrupted) {
				return nil, fmt.Errorf("benchmarks: %s, seed %d: %w", c.Name, seed, err)
			}
			if err != nil {
				scores[i].Failed++
				continue
			}
			posts, from = append(posts, post), append(from, i)
			scores[i].Evaluations, scores[i].Products = post.Info.Evaluations, post.Info.Products
			scores[i].Seconds += post.Info.Seconds
			inside, err := c.sums(post, data.X0)
			if err != nil {
				return nil, err
			}
			scores[i].Sums += inside
		}
		all, err := calibrate.Distances(truth, data.X0, posts...)
		if err != nil {
			return nil, err
		}
		for k, d := range all {
			distances[from[k]] = append(distances[from[k]], d)
		}
	}
	for i := range scores {
		scores[i].summarise(distances[i])
	}
	return scores, nil
}

func (s *Score) summarise(all []calibrate.Distance) {
	if len(all) == 0 {
		s.Distance = calibrate.Distance{Med: math.NaN(), CI: math.NaN(), W1: math.NaN(), Coverage: math.NaN()}
		return
	}
	s.Distance = meanDistance(all)
	s.Seconds /= float64(len(all))
	s.Sums /= float64(len(all))
	s.CISE = standardError(all, func(d calibrate.Distance) float64 { return d.CI })
	s.W1SE = standardError(all, func(d calibrate.Distance) float64 { return d.W1 })
	s.CoverageSE = standardError(all, func(d calibrate.Distance) float64 { return d.Coverage })
}

// meanDistance returns the average of every entry over data sets.
func meanDistance(all []calibrate.Distance) calibrate.Distance {
	var mean calibrate.Distance
	sum := reflect.ValueOf(&mean).Elem()
	for _, d := range all {
		one := reflect.ValueOf(d)
		for i := range one.NumField() {
			sum.Field(i).SetFloat(sum.Field(i).Float() + one.Field(i).Float()/float64(len(all)))
		}
	}
	return mean
}

// standardError returns the standard error of a mean over data sets.
func standardError(all []calibrate.Distance, of func(calibrate.Distance) float64) float64 {
	values := make([]float64, len(all))
	for i, d := range all {
		values[i] = of(d)
	}
	return stat.StdErr(stat.StdDev(values, nil), float64(len(values)))
}

// Seeds returns the seeds of n data sets, from first on.
func Seeds(first uint64, n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
