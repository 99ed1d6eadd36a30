package expfam

// Method is a sampling scheme: how the reverse diffusion is discretised.
type Method interface {
	// String names the scheme with its options; it is part of the key of
	// stored results.
	String() string
	// Steps is the whole trajectory, from pure noise to the draw.
	Steps() []Step
}

// Step is one update of every draw. With D the guided estimate of x₀ at Level,
// D' that of the step before, and z standard normal, it is
//
//	x ← A x + B D + C D' + S z,
//
// which covers exponential integrators, Euler–Maruyama, multistep solvers and
// returns to a higher noise level. A step with SNR > 0 is a Langevin corrector
// instead.
type Step struct {
	Level      Level
	A, B, C, S float64
	// SNR is the signal-to-noise ratio r of a corrector step (Song et al.
	// 2021, Algorithm 5): x ← x + ε·score + √(2ε) z, ε = 2 (r |z|/|score|)²,
	// with norms averaged over the draws that move together. Norms of each
	// draw would make its step depend on its state, which widens the result.
	SNR float64
	// Clip bounds every entry of the total score; 0 is no bound.
	Clip float64
}
