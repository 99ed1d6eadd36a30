package benchmarks

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// fieldTraining is how the U-Net of the field is trained.
var fieldTraining = learn.Training{Net: nn.UNet{Rows: 32, Columns: 32}, Steps: 3000, Batch: 32, Rate: 1.5e-3}

// TestField trains the U-Net on the field of [FieldCase]. Training takes some ten minutes the first time.
func TestField(t *testing.T) {
	if !*full {
		t.Skip("trains a U-Net: run with -full")
	}
	c := must.Get(FieldCase())(t)
	training := fieldTraining
	training.Progress = func(step, total int, loss float64) {
		if !math.IsNaN(loss) {
			t.Logf("step %d of %d: held-out loss %.4f", step, total, loss)
		}
	}
	prior := must.Get(learn.Train(c.Field, training))(t)
	scores := must.Get(c.RunContext(t.Context(), []Method{{"default", prior, diffusion.Sampler{Draws: 200, Batch: 20}}},
		Seeds(0, *dataSets)))(t)
	s := scores[0]
	t.Logf("%v; sums %.3f", s, s.Sums)
	// 200 draws of the exact posterior have W1 0.09.
	must.Be(t, s.W1 < 0.2 && math.Abs(s.Coverage-0.95) <= 0.03 && s.Failed <= 0,
		"W1/sd %.3f, coverage %.3f and %d data sets failed; want below 0.2, 0.95 ± 0.03 and none", s.W1, s.Coverage,
		s.Failed)
}

// Draws of the closed form are at the floor of all methods. Their intervals hold the true cells and the true sums over
// squares, and the share of cells without a datum is what the case says.
func TestFieldCase(t *testing.T) {
	c := must.Get(FieldCase())(t)
	d := must.Get(c.Simulate(1))(t)
	missing := 0
	for j, o := range d.Obs {
		must.Need(t, (o == expfam.Term{}) == math.IsNaN(d.Y[j]), "cell %d: datum %g, term %v", j, d.Y[j], o)
		if math.IsNaN(d.Y[j]) {
			missing++
		}
	}
	if share := float64(missing) / 1024; math.Abs(share-c.Missing) > 0.05 { // four standard errors
		t.Errorf("%.3f of the cells are missing, want %g", share, c.Missing)
	}
	truth := must.Get(c.truth(d))(t)
	post := must.Get(truth.(*gp.Conditional).Sample(200, 1))(t)
	all := must.Get(calibrate.Distances(truth, d.X0, post))(t)
	inside := must.Get(c.sums(post, d.X0))(t)
	// About a hundred cells are independent: a standard error of 0.02. Of the 64 sums it is 0.03.
	if w1 := all[0].W1; !(w1 > 0.05 && w1 < 0.12) || math.Abs(all[0].Coverage-0.95) > 0.06 || inside < 0.86 {
		t.Errorf("W1/sd %.3f, coverage %.3f, sums %.3f", w1, all[0].Coverage, inside)
	}
	if efforts := FieldEfforts(3); len(efforts) != 6 {
		t.Errorf("%d efforts, want 6", len(efforts))
	} else if s, ok := efforts[0].Sampler(8); !ok || s.Draws != 3 {
		t.Errorf("%+v, want 3 draws", s)
	}
}
