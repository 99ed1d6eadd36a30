package expfam

// Footprint is how many numbers a part of a sampler keeps in memory. Fixed counts the weights. Draw counts the
// numbers that the evaluation of one draw keeps for its Jacobian products, at least eight per cell.
type Footprint struct {
	Fixed, Draw float64
}

// Sized is a prior, a guidance or an inference network that returns its footprint. Others are assumed to be small.
type Sized interface{ Footprint() Footprint }

// footprintOf returns the footprint of a prior.
func footprintOf(prior Prior) Footprint {
	sum := Footprint{Draw: 8 * float64(prior.Dim())}
	if prior, ok := prior.(Sized); ok {
		own := prior.Footprint()
		sum = Footprint{Fixed: own.Fixed, Draw: max(sum.Draw, own.Draw)}
	}
	return sum
}
