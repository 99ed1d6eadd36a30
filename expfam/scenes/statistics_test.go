package scenes

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var photos = flag.String("photos", "../../notebooks/photos",
	"folder of the photographs with which TestImageStatistics compares procedural images")

// imageStatistics are what is compared between photographs and procedural images.
type imageStatistics struct {
	slope float64 // of the power spectrum, mean over images, wave numbers 2 to 21
	// median over images of the kurtosis of differences and of the finest diagonal Haar coefficients
	gradient, haar float64
	// log10 of the standard deviation in blocks of 8 × 8: quantiles .05, .25, .5, .75, .95
	contrast           [5]float64
	noise              [3]float64 // log10 of an image's noise, the median of |Haar| over 0.6745: quantiles .1, .5, .9
	mean, sd           [3]float64 // of an image: quantiles .1, .5, .9
	constant, unscaled float64    // shares of images with one tone, and that do not span [−1, 1]
}

// faintest is below every contrast that can matter.
const faintest = 1e-4

func statisticsOf(images [][]float64, n int) (s imageStatistics) {
	var gradient, haar, contrast, noise, means, sds []float64
	for _, x := range images {
		mean, sd := stat.MeanStdDev(x, nil)
		means, sds = append(means, mean), append(sds, sd)
		if slices.Max(x)-slices.Min(x) < 2-1e-9 {
			s.unscaled += 1 / float64(len(images))
		}
		var diagonal, across []float64
		for r := 0; r < n; r++ {
			for c := 1; c < n; c++ {
				across = append(across, x[r*n+c]-x[r*n+c-1])
			}
		}
		for r := 0; r+1 < n; r += 2 {
			for c := 0; c+1 < n; c += 2 {
				diagonal = append(diagonal, (x[r*n+c]-x[r*n+c+1]-x[(r+1)*n+c]+x[(r+1)*n+c+1])/2)
			}
		}
		if sd < 1e-9 {
			s.constant += 1 / float64(len(images))
		} else {
			if stat.StdDev(across, nil) > 1e-9 {
				gradient = append(gradient, stat.ExKurtosis(across, nil)+3)
			}
			if stat.StdDev(diagonal, nil) > 1e-9 {
				haar = append(haar, stat.ExKurtosis(diagonal, nil)+3)
			}
		}
		for j, v := range diagonal {
			diagonal[j] = math.Abs(v)
		}
		slices.Sort(diagonal)
		noise = append(noise, math.Log10(max(faintest, stat.Quantile(0.5, stat.Empirical, diagonal, nil)/0.6745)))
		for r := 0; r+8 <= n; r += 8 {
			for c := 0; c+8 <= n; c += 8 {
				var block []float64
				for i := range 8 {
					block = append(block, x[(r+i)*n+c:][:8]...)
				}
				contrast = append(contrast, math.Log10(max(faintest, stat.StdDev(block, nil))))
			}
		}
	}
	var slopes []float64
	for _, x := range images {
		if stat.StdDev(x, nil) > 1e-9 {
			slopes = append(slopes, slope(spectrum([][]float64{x}, n, true), 2, 21))
		}
	}
	slices.Sort(slopes)
	s.slope = stat.Quantile(0.5, stat.Empirical, slopes, nil)
	for _, q := range []struct {
		at  []float64
		of  []float64
		out []float64
	}{
		{[]float64{0.05, 0.25, 0.5, 0.75, 0.95}, contrast, s.contrast[:]},
		{[]float64{0.1, 0.5, 0.9}, noise, s.noise[:]}, {[]float64{0.1, 0.5, 0.9}, means, s.mean[:]},
		{[]float64{0.1, 0.5, 0.9}, sds, s.sd[:]},
	} {
		slices.Sort(q.of)
		for k, at := range q.at {
			q.out[k] = stat.Quantile(at, stat.Empirical, q.of, nil)
		}
	}
	slices.Sort(gradient)
	slices.Sort(haar)
	s.gradient = stat.Quantile(0.5, stat.Empirical, gradient, nil)
	s.haar = stat.Quantile(0.5, stat.Empirical, haar, nil)
	return s
}

func (s imageStatistics) String() string {
	return fmt.Sprintf("slope %.2f; kurtosis of differences %.1f, of Haar's coefficients %.1f; lg contrast %.2f; "+
		"lg noise %.2f; mean %.2f; sd %.2f; constant %.3f, not spanning %.3f",
		s.slope, s.gradient, s.haar, s.contrast, s.noise, s.mean, s.sd, s.constant, s.unscaled)
}

// TestImageStatistics compares the statistics of procedural images with those of photographs.
// The photographs beside the lessons are ten; -photos with more gives the table of Procedural.
func TestImageStatistics(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*photos, "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no photographs in %s: %v", *photos, err)
	}
	var shot [][]float64
	for _, f := range files {
		photo := must.Get(ReadPhoto(f, 64, 64))(t)
		shot = append(shot, photo.Values)
	}
	n := fulltest.N(120, 2000)
	want := statisticsOf(shot, 64)
	plain := statisticsOf(ensemble(t, Procedural{Plain: true}, n), 64)
	all := statisticsOf(ensemble(t, Procedural{}, n), 64)
	leaves := statisticsOf(ensemble(t, Procedural{Patterns: 1e-9, NoFields: true}, n), 64)
	t.Log("photographs:", want)
	t.Log("plain:      ", plain)
	t.Log("all:        ", all)
	t.Log("leaves:     ", leaves)
	// Quantiles of photographs differ by a tenth of a decade between ten and twenty of them.
	// Those of plain images are off by a third at the lower quartile, which flat surfaces make.
	for k, q := range []string{"lower quartile", "median", "upper quartile"} {
		d := leaves.contrast[k+1] - want.contrast[k+1]
		must.Be(t, math.Abs(d) <= 0.25, "local contrast of leaves, %s: 10^%.2f times that of photographs", q, d)
	}
	if off, before := math.Abs(leaves.contrast[1]-want.contrast[1]),
		math.Abs(plain.contrast[1]-want.contrast[1]); off > before {
		t.Errorf("lower quartile of the local contrast: leaves are off by 10^%.2f, plain ones by 10^%.2f", off, before)
	}
	must.Be(t, math.Abs(leaves.slope-want.slope) <= 0.3 && leaves.gradient >= 6 && leaves.haar >= 6,
		"leaves have slope %.2f and kurtosis %.1f and %.1f; photographs %.2f, %.1f and %.1f", leaves.slope,
		leaves.gradient, leaves.haar, want.slope, want.gradient, want.haar)
	// All amplitudes of noise and contrast are there: a tenth of the images has nearly none.
	must.Be(t, all.noise[0] <= -2.5 && all.noise[2] >= -1.1 && all.sd[0] <= 0.15 && all.sd[2] >= 0.5,
		"noise 10^%.2f and sd %.2f of all images; want more of the faint and the strong", all.noise, all.sd)
}
