package scenes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var _ expfam.Simulator = Procedural{}

// item fills x with image i of a seed.
func (p Procedural) item(seed uint64, i int, x []float64) {
	p.Draw(expfam.Stream(seed, fmt.Sprintf("procedural/%d", i)), x)
}

func ensemble(t *testing.T, p Procedural, n int) [][]float64 {
	t.Helper()
	images := make([][]float64, n)
	for i := range images {
		images[i] = make([]float64, p.Dim())
		p.item(7, i, images[i])
	}
	return images
}

// spectrum is the mean power of square images by wave number, under a window
// (sin², which keeps the discontinuity at the edges out of it) or none.
func spectrum(images [][]float64, n int, window bool) []float64 {
	power, count := make([]float64, n/2), make([]float64, n/2)
	fft := fourier.NewCmplxFFT(n)
	z, column := make([]complex128, n*n), make([]complex128, n)
	for _, x := range images {
		mean := stat.Mean(x, nil)
		for j, v := range x {
			w := 1.0
			if window {
				w = math.Sin(math.Pi*(float64(j%n)+0.5)/float64(n)) * math.Sin(math.Pi*(float64(j/n)+0.5)/float64(n))
			}
			z[j] = complex((v-mean)*w*w, 0)
		}
		for r := range n {
			copy(z[r*n:], fft.Coefficients(column, z[r*n:(r+1)*n]))
		}
		line := make([]complex128, n)
		for c := range n {
			for r := range n {
				line[r] = z[r*n+c]
			}
			fft.Coefficients(column, line)
			for r, v := range column {
				if k := int(math.Hypot(wave(c, n), wave(r, n)) + 0.5); k < len(power) {
					power[k] += real(v)*real(v) + imag(v)*imag(v)
					count[k]++
				}
			}
		}
	}
	floats.Div(power, count)
	return power
}

// wave is the signed wave number of the i-th of n frequencies.
func wave(i, n int) float64 {
	if i > n/2 {
		i -= n
	}
	return float64(i)
}

// slope is the exponent of a power law fitted to wave numbers from … to.
func slope(power []float64, from, to int) float64 {
	var x, y []float64
	for k := from; k <= to; k++ {
		x, y = append(x, math.Log(float64(k))), append(y, math.Log(power[k]))
	}
	_, b := stat.LinearRegression(x, y, nil, false)
	return b
}

func TestSpectralHasItsPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 64
	for _, a := range []float64{0.6, 1, 1.4} {
		var images [][]float64
		var square, cross float64
		for range 40 {
			u, v := spectral(rng, n, a)
			images = append(images, u, v)
			for j := range u {
				square += (u[j]*u[j] + v[j]*v[j]) / (80 * n * n)
				cross += u[j] * v[j] / (40 * n * n)
			}
		}
		// 80 fields, whose few longest waves carry most of the variance: an sd of
		// the variance of 0.25 for one at a = 1, more at 1.4.
		must.Be(t, math.Abs(square-1) <= 0.15 && math.Abs(cross) <= 0.15,
			"a = %g: variance %g, covariance %g of the pair; want 1 and 0", a, square, cross)
		// 80 · 2πk values a wave number leave less than 0.03 on the slope; rings of
		// integer width at k = 2 shift it by as much again.
		s := slope(spectrum(images, n, false), 2, 30)
		must.Be(t, math.Abs(s+2*a) <= 0.06, "power falls as k^%.3f, want k^%g", s, -2*a)
	}
}

// Photographs have power about k^−2: −1.8 (Ruderman 1997) to −2.4 (Tolhurst, Tadmor and Chao 1992), −2.3 for twenty
// that ReadPhoto brought to 64 × 64, where anti-aliasing takes from the highest octave. Their variance at [−1, 1] was
// 0.35. All images, with those that fill no range, are compared in TestImageStatistics.
func TestPlainImagesAreLikePhotographs(t *testing.T) {
	images := ensemble(t, Procedural{Plain: true}, 400)
	// Ensembles of 400 scatter by 0.03.
	s := slope(spectrum(images, 64, true), 2, 21)
	must.Be(t, s >= -2.5 && s <= -1.9, "power falls as k^%.2f, want about k^-2.2", s)
	var all []float64
	for i, x := range images {
		must.Need(t, slices.Min(x) == -1 && slices.Max(x) == 1,
			"image %d spans [%g, %g], want [-1, 1]", i, slices.Min(x), slices.Max(x))
		all = append(all, x...)
	}
	// Means of images have an sd of 0.35, so that of 400 is known to 0.02.
	if mean, variance := stat.MeanVariance(all, nil); math.Abs(mean) > 0.08 || variance < 0.25 || variance > 0.42 {
		t.Errorf("mean %.3f, variance %.3f; want about 0 and a third", mean, variance)
	}
}

// Seen from twice the distance, images have the same statistics: before the camera, whose noise belongs to the pixels.
func TestProceduralIsScaleInvariant(t *testing.T) {
	n := fulltest.N(100, 250)
	near := ensemble(t, Procedural{Plain: true}, n)
	var far [][]float64
	for _, x := range ensemble(t, Procedural{Rows: 128, Cols: 128, Plain: true}, n) {
		means := grid.Grid{Rows: 128, Cols: 128}.BlockSums(x, 2, 2)
		floats.Scale(0.25, means)
		far = append(far, means)
	}
	a, b := spectrum(near, 64, true), spectrum(far, 64, true)
	for k := 2; k <= 16; k *= 2 {
		var ratio float64
		for i := k; i < 2*k; i++ {
			ratio += b[i] / a[i] / float64(k)
		}
		// The lowest octaves have few waves an image; the highest was averaged once more. Without invariance an octave
		// would be off by a factor of 2^0.5 and more: r^−2.5 in place of r^−3.
		must.Be(t, math.Abs(math.Log(ratio)) <= 0.25,
			"octave from %d: the power of images seen from afar is %.2f of that of near ones", k, ratio)
	}
	ga, gb := gradients(near), gradients(far)
	// Share of differences below and far above their own sd: sharp edges between
	// smooth parts. A Gaussian field has 0.20 and 0.003.
	for k, name := range []string{"below sd/4", "above 3 sd"} {
		must.Be(t, math.Abs(math.Log(gb[k]/ga[k])) <= 0.25,
			"differences %s: %.4f near, %.4f from afar", name, ga[k], gb[k])
	}
	must.Be(t, ga[0] >= 0.35 && ga[1] >= 0.01,
		"differences: %.3f below sd/4, %.4f above 3 sd; too close to a Gaussian field", ga[0], ga[1])
}

// gradients are the shares of horizontal differences below a quarter of their sd and above three times of it.
func gradients(images [][]float64) (share [2]float64) {
	var d []float64
	for _, x := range images {
		for j := range x {
			if j%64 > 0 {
				d = append(d, math.Abs(x[j]-x[j-1]))
			}
		}
	}
	var square float64
	for _, v := range d {
		square += v * v
	}
	sd := math.Sqrt(square / float64(len(d)))
	for _, v := range d {
		if v < sd/4 {
			share[0] += 1 / float64(len(d))
		}
		if v > 3*sd {
			share[1] += 1 / float64(len(d))
		}
	}
	return share
}

func TestProceduralIsReproducible(t *testing.T) {
	for _, p := range []Procedural{{}, {Rows: 17, Cols: 40}, {Rows: 1, Cols: 3}, {Rows: 1, Cols: 1}, {Fields: 1},
		{NoFields: true}, {Patterns: 1, NoFields: true}, {Plain: true}} {
		x, y, z := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		p.item(3, 5, x)
		p.item(3, 5, y)
		p.item(3, 6, z)
		must.Equal(t, x, y, p, "image 5 of seed 3 differs from itself")
		must.Be(t, p.Dim() <= 9 || !slices.Equal(x, z), "%v: images 5 and 6 are equal", p)
	}
	a, b := (Procedural{}).String(), (Procedural{Fields: 0.2}).String()
	must.Be(t, a != b && a == (Procedural{Rows: 64, Cols: 64}).String(), "names %q and %q", a, b)
}

func BenchmarkProcedural(b *testing.B) {
	for _, c := range []struct {
		name string
		p    Procedural
	}{
		{"64x64", Procedural{}}, {"64x64/plain", Procedural{Plain: true}},
		{"256x256", Procedural{Rows: 256, Cols: 256}},
		{"256x256/plain", Procedural{Rows: 256, Cols: 256, Plain: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := make([]float64, c.p.Dim())
			rng := expfam.Stream(1, "benchmark")
			for range 50 {
				c.p.Draw(rng, x) // the textures are made once
			}
			for b.Loop() {
				c.p.Draw(rng, x)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func TestImpossibleProceduralImagesAreRefused(t *testing.T) {
	for _, c := range []struct {
		p    Procedural
		want string
	}{
		{Procedural{}, ""},
		{Procedural{Fields: 1}, ""}, // fields alone
		{Procedural{Rows: -1}, "of -1 Rows and 0 Cols"},
		{Procedural{Rows: math.MaxInt, Cols: 4}, "at most"},
		{Procedural{Fields: math.NaN()}, "a share of NaN Fields"},
		{Procedural{Fields: 30}, "a share of 30 Fields"}, // in percent
		{Procedural{Patterns: -0.1}, "a share of -0.1 Patterns"},
	} {
		if err := c.p.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: the error is %v, want %q in it", c.p, err, c.want)
		}
	}
}
