package diffusion

import (
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// ImageRestarts returns the default method for priors of images: [Restarts] with 17 evaluations of the network in place
// of 30. The six evaluations at noise levels up to 0.2 take one Jacobian product each, the others three: 39 in all.
//
// Three long steps go down to a noise level of 0.1. The first return is to a noise level of 1.3, above the
// contrast of most images. From there on one of the three products computes the third cumulants of
// x₀ | x_t, by which counts say how rough a surface is. Without third cumulants, draws of a network that does
// not adapt to the image at hand (nn.UNet.Adaptive) lack up to half of the texture of rough surfaces. Behind
// operators that join cells, third cumulants are left out; see [Step].
//
// Whether a surface is rough or smooth is decided between the level of a return and Low, so the five steps
// of a return are worth more than steps from the top of the diffusion. Under a prior of 200 cells that are all rough
// or all smooth, 0.92 of the draws are rough where the data are, and 0.03 where they are not.
//
// Long steps that move with the mean take away 3 to 7% of the variance of independent Gaussian cells. Noise of 0.6 of
// the standard deviation of x₀ | x_t adds 15 to 22%. Such cells have a variance that is up to 15% too large, and in
// turn images have their texture. Surfaces stay smooth, because the standard deviation of x₀ | x_t is small there. The
// table of samplers in benchmarks/README.md has scores, texture and seconds of this and other choices of the numbers.
func ImageRestarts() Restarts {
	var vp level.VP
	vp.Epsilon = vp.Time(0.03)
	return Restarts{First: 3, Count: 2, Each: 5, Last: 3, Low: 0.1, High: 1.3, Final: 0.6, Spread: 0.6, Skew: 1,
		Light: 0.2, VP: vp}
}

// isImage reports whether a prior is a field in two dimensions; see [expfam.Lattice].
func isImage(prior expfam.Prior) bool {
	l, ok := prior.(expfam.Lattice)
	if !ok {
		return false
	}
	rows, cols := l.Lattice()
	return rows > 1 && cols > 1
}
