package diffusion

// OperatorRestarts returns the default method for priors of images and data that look through an
// operator which joins cells, such as a blur, rays or areas. Three long steps make a coarse image. One
// return goes to a noise level of 5, above the contrast of most images everywhere, and fourteen shorter
// steps go down from there. The method takes 21 evaluations of the network.
//
// Such data say little of each cell, so the prior has to make what they leave open, and no datum of a cell mends it at
// low noise. Long steps from high noise make images too rough behind rays, and too smooth behind sums by area. A
// network that adapts to the texture of the image at hand (nn.UNet.Adaptive) keeps the texture that it finds. Two
// returns with six steps each take as many evaluations and are less accurate. The section on operators in
// benchmarks/README.md has the figures, also of the noise of [Restarts.Spread].
func OperatorRestarts() Restarts {
	r := ImageRestarts()
	r.First, r.Count, r.Each, r.High, r.Final = 3, 1, 14, 5, 5
	r.Skew = 0
	return r
}
