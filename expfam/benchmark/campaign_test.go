package benchmark

import (
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/land"
)

// TestCampaign compares maps of prevalence on simulated surveys. With -full: two
// truths, five splits, all methods; else a map of a quarter of the cells, two splits,
// without the prior of images.
func TestCampaign(t *testing.T) {
	side, draws, times := 24, 100, 2 // 95% intervals need 39 draws
	var images expfam.Prior
	if *full {
		side, draws, times = 64, 200, min(5, *dataSets)
		if os.Getenv("ONNXRUNTIME_SHARED_LIBRARY_PATH") != "" {
			prior, err := imagePrior()
			if err != nil {
				t.Fatal(err)
			}
			images = prior
		}
	}
	m, err := land.Frame{Rows: side}.Map()
	if err != nil {
		t.Fatal(err)
	}
	// Twenty cells are held out in the short version: their scores scatter.
	slack := map[string]float64{MedianTruth: 0.01, MeanTruth: 0.01, MedianHeld: 0.02, MeanHeld: 0.02, LogHeld: 0.5}
	if *full {
		clear(slack)
	}
	for _, c := range []struct {
		name  string
		truth Truth
	}{{"field", FieldTruth}, {"image", ImageTruth}} {
		if !*full && c.name == "image" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			campaign, err := SimulatedCampaign(m, c.truth, 1)
			if err != nil {
				t.Fatal(err)
			}
			table, err := campaign.Compare(t.Context(), calibrate.Splits{Times: times, Seed: 1}, MapMethods(images, draws)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%v", table)
			for _, score := range []string{MedianTruth, MeanTruth, MedianHeld, MeanHeld, LogHeld} {
				ours, best := table.Best("ours", score), table.Best("GMRF", score)
				d := table.Minus(ours, best, score)
				t.Logf("%s: %s is %v above %s", score, ours, d, best)
				if score == LogHeld {
					d.Mean = -d.Mean
				}
				if !(d.Mean <= d.SE+slack[score]) {
					t.Errorf("%s: %s is %v worse than %s", score, ours, d, best)
				}
			}
			for _, name := range table.Methods {
				e := table.Of(name, CoverHeld)
				if strings.HasPrefix(name, "ours") && *full && !(e.Mean > 0.93 && e.Mean < 0.97) {
					t.Errorf("%s: 95%% intervals hold %v of the counts", name, e)
				}
			}
		})
	}
}

// BenchmarkMap256 is a Gaussian Markov random field on 256 × 256 cells with data in
// a tenth of them, hyperparameters fitted: run it with -benchtime 1x.
func BenchmarkMap256(b *testing.B) {
	m, err := land.Frame{Rows: 256}.Map()
	if err != nil {
		b.Fatal(err)
	}
	campaign, err := SimulatedCampaign(m, FieldTruth, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		prior   gmrf.Prior
		options gmrf.Options
	}{
		{"alpha=1", gmrf.Prior{Alpha: 1}, gmrf.Options{}},
		{"alpha=1/beta-binomial", gmrf.Prior{Alpha: 1}, gmrf.Options{Overdispersed: true}},
		{"alpha=2", gmrf.Prior{}, gmrf.Options{}},
		{"alpha=2/nugget", gmrf.Prior{Nugget: -1}, gmrf.Options{}},
		{"alpha=2/beta-binomial", gmrf.Prior{}, gmrf.Options{Overdispersed: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.prior.Grid, c.options.Draws, c.options.Fresh = campaign.Grid, 100, true
			for b.Loop() {
				post, err := gmrf.Sample(c.prior, campaign.Likelihood, campaign.Obs, c.options)
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("%.0f s, %v", post.Info.Seconds, post.Info.Diagnostics)
			}
		})
	}
}
