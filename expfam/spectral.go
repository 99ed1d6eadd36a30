package expfam

import (
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/latent"
)

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
		variances := append([]float64(nil), s.Variances...)
		floats.AddConst(p.SD*p.SD, variances)
		s.Variances = variances
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
