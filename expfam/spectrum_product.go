package expfam

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
)

// productSpectrum returns the spectrum of independent parts, of which at least one is [Spectral] and the others have
// modes.
func productSpectrum(parts []Prior) (out latent.Spectrum, ok bool) {
	var spectra []latent.Spectrum
	some := false
	for _, part := range parts {
		s, ok := spectrumOf(part)
		if some = some || ok; !ok {
			if s, ok = denseSpectrum(part); !ok {
				return out, false
			}
		}
		spectra = append(spectra, s)
		out.Mean, out.Variances = append(out.Mean, s.Mean...), append(out.Variances, s.Variances...)
	}
	out.Transform = func() latent.Transform {
		var all blocks
		for _, s := range spectra {
			all = append(all, block{s.Transform(), len(s.Mean), len(s.Variances)})
		}
		return all
	}
	return out, some
}

// denseSpectrum returns the spectrum of a prior by its modes.
func denseSpectrum(prior Prior) (latent.Spectrum, bool) {
	mean, l, ok := modesOf(prior, 0)
	if !ok {
		return latent.Spectrum{}, false
	}
	basis, variances := mat.DenseCopyOf(l), latent.Variances(l)
	basis.Apply(func(_, k int, v float64) float64 { return v / math.Sqrt(variances[k]) }, basis)
	return latent.Spectrum{Mean: mean, Variances: variances,
		Transform: func() latent.Transform { return denseTransform{basis} }}, true
}

// denseTransform is a transform by a matrix.
type denseTransform struct{ t *mat.Dense }

func (d denseTransform) Synthesise(x, z []float64) {
	mat.NewVecDense(len(x), x).MulVec(d.t, mat.NewVecDense(len(z), z))
}

func (d denseTransform) Analyse(z, x []float64) {
	mat.NewVecDense(len(z), z).MulVec(d.t.T(), mat.NewVecDense(len(x), x))
}

// blocks is the transform of independent parts.
type blocks []block

type block struct {
	latent.Transform
	cells, modes int
}

func (b blocks) Synthesise(x, z []float64) {
	for _, part := range b {
		part.Transform.Synthesise(x[:part.cells], z[:part.modes])
		x, z = x[part.cells:], z[part.modes:]
	}
}

func (b blocks) Analyse(z, x []float64) {
	for _, part := range b {
		part.Transform.Analyse(z[:part.modes], x[:part.cells])
		x, z = x[part.cells:], z[part.modes:]
	}
}
