package expfam

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	basis.Apply(func(_, k int, v float64) float64 {
		if variances[k] == 0 { // the mode changes no cell
			return 0
		}
		return v / math.Sqrt(variances[k])
	}, basis)
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
		part.Synthesise(x[:part.cells], z[:part.modes])
		x, z = x[part.cells:], z[part.modes:]
	}
}

func (b blocks) Analyse(z, x []float64) {
	for _, part := range b {
		part.Analyse(z[:part.modes], x[:part.cells])
		x, z = x[part.cells:], z[part.modes:]
	}
}

// Spectral is a Gaussian prior N(μ, K) of many cells whose covariance is diagonal in a fast transform T, of shape
// (cells, modes) with orthonormal columns:
//
//	K = T diag(λ) Tᵀ.
//
// Spectrum returns μ, λ, and a function that returns T with work space of its own. diffusion.Sample makes draws
// under such a prior exact where there are too many modes for their matrix. Do not change the results.
type Spectral interface {
	Spectrum() (mean, variances []float64, transform func() latent.Transform)
}

// spectrumOf is [traits.Spectrum].
func spectrumOf(prior any) (latent.Spectrum, bool) {
	if p, ok := nuggetOf(prior); ok {
		s, ok := spectrumOf(p.Of)
		if !ok || len(s.Variances) != len(s.Mean) {
			return s, false // white noise is diagonal in a square T alone
		}
		s.Variances = slices.Clone(s.Variances)
		floats.AddConst(p.SD*p.SD, s.Variances)
		return s, true
	}
	switch p := prior.(type) {
	case Spectral:
		mean, variances, transform := p.Spectrum()
		return latent.Spectrum{Mean: mean, Variances: variances, Transform: transform}, true
	case Joint:
		return productSpectrum(p.Parts())
	}
	return latent.Spectrum{}, false
}
