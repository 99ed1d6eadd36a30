package expfam

// ImageRestarts is the default for priors of images: [Restarts] with 18 evaluations of the
// network instead of 30, and with two Jacobian products an evaluation instead of three.
//
// Few long steps go down to a noise level of 0.1, the first return is to 1, above the
// contrast of most images, and there is a little more noise than steps of Gaussian priors need. So
// draws keep more of the fine texture: restarts from 0.4 smooth it.
// The table of samplers in expfam/benchmark/README.md has scores, texture and seconds of
// these and other numbers.
func ImageRestarts() Restarts {
	var vp VP
	vp.Epsilon = vp.Time(0.05)
	return Restarts{First: 5, Count: 2, Each: 5, Last: 2, Low: 0.1, High: 1, Final: 0.6, Noise: 1.025, VP: vp}
}

// imageSteps are the steps of conjugate gradients that are the default for priors of images,
// where every datum looks at its own cell. A third step lowers no score of theirs.
const imageSteps = 2

// ofImages reports whether a prior is a field in two dimensions; see [Lattice].
func ofImages(prior Prior) bool {
	l, ok := prior.(Lattice)
	if !ok {
		return false
	}
	rows, cols := l.Lattice()
	return rows > 1 && cols > 1
}
