package expfam

// OperatorRestarts returns the default method for priors of images and data that look through an
// operator which joins cells, such as a blur, rays or areas: [ImageRestarts] with returns from higher
// noise levels, 5 and then 2, and 21 evaluations of the network.
//
// Such data say little of each cell, so the prior has to make what they leave open, and no datum of a
// cell mends it at low noise. Returns to a noise level of 1 stay near the coarse image of the first
// descent, which few long steps made too smooth: in two procedural images 95% intervals of cells in squares
// with a known sum then hold 0.83 and 0.78 of the cells, in the place of 0.90 and 0.85. A return to 5, above
// the contrast of most images everywhere, draws the image anew from what the data say. The section on operators
// in expfam/benchmark/README.md has the figures.
func OperatorRestarts() Restarts {
	r := ImageRestarts()
	r.Each, r.High, r.Final, r.Skew = 6, 5, 2, 0
	return r
}
