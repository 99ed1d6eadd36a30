//go:build unix

package benchmarks

import (
	"slices"
	"syscall"
	"testing"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// operatorDraws is how many draws a problem behind an operator has.
const operatorDraws = 20

// TestLargeOperators scores posteriors of a photograph of -side cells whose right half was not seen, behind a blur and
// behind sums over districts, with ten points a cell. It goes on where it stopped, and logs the seconds of a processor
// of all draws and the highest memory of the process so far.
func TestLargeOperators(t *testing.T) {
	if !*full {
		t.Skip("minutes a problem on two cores: run with -full")
	}
	side := *largeSide
	prior := imagePrior(t, side)
	network := must.Get(diffusion.PriorFingerprint(prior, benchtest.Open(t, "onnx")))(t)
	images := must.Get(problem.Images("../notebooks/photos/large", 0, side, 10, 1))(t)
	i := images[slices.IndexFunc(images, func(i problem.Image) bool { return i.Name == "coffee" })]
	half := OperatorImage{Image: i, Case: "missing half", Likelihood: i.Likelihood, Area: squares(i.Grid),
		Obs: make(expfam.Observations, len(i.Seen))}
	for j := range half.Obs {
		if j%side < side/2 {
			half.Obs[j] = i.Seen[j].Add(i.Held[j])
		}
	}
	problems := append([]OperatorImage{half}, must.Get(OperatorImages(i))(t)...)
	for _, name := range []string{"missing half", "blur, 10 photons", "districts"} {
		o := problems[slices.IndexFunc(problems, func(o OperatorImage) bool { return o.Case == name })]
		key := store.Key("large operators", 3, network, o.Case, i.Name, side, i.Seed, operatorDraws)
		type result struct {
			OperatorScore
			Processors, GB float64
		}
		r := must.Get(store.Once("operator-score", key, store.JSON[result](), func() (result, error) {
			before, _ := used(t)
			post, err := diffusion.Sample(prior, o.Likelihood, o.Obs, diffusion.Sampler{Draws: operatorDraws, Batch: 1,
				Seed: 1})
			if err != nil {
				return result{}, err
			}
			after, memory := used(t)
			s, err := o.Score("expfam", post, operatorDraws)
			return result{s, after - before, memory}, err
		}))(t)
		t.Logf("%+v", r)
		// Some hundred independent cells, a standard error of .03: three times.
		must.Be(t, r.Cells > 0.81 && r.Cells < 0.99, "%s: 90%% intervals hold %.3f of the cells", o.Case, r.Cells)
	}
}

// used returns the seconds of a processor of this process and its highest memory in GB.
func used(t *testing.T) (seconds, memory float64) {
	var r syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r), "usage")
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6, float64(r.Maxrss) / 1e6
}
