package expfam

// Footprint is how many numbers a part of a sampler keeps in memory. Fixed counts
// weights. Draw counts what the evaluation of one draw keeps for its Jacobian products,
// at least eight numbers per cell.
type Footprint struct {
	Fixed, Draw float64
}

// Sized is a prior, a guidance or an inference network that knows its footprint. Others
// are assumed to be small.
type Sized interface{ Footprint() Footprint }

// Footprint is the memory of the inference network.
func (e Evidence) Footprint() Footprint { return inferrerFootprint(e.Inference) }

// Footprint is the memory of the inference network.
func (e Corrected) Footprint() Footprint { return inferrerFootprint(e.Inference) }

// Footprint is the memory of the inference network.
func (e Tempered) Footprint() Footprint { return inferrerFootprint(e.Inference) }

func inferrerFootprint(i Inferrer) Footprint {
	if i, ok := i.(Sized); ok {
		return i.Footprint()
	}
	return Footprint{}
}

// footprintOf is that of a prior and a guidance together.
func footprintOf(prior Prior, g Guidance) Footprint {
	sum := Footprint{Draw: 8 * float64(prior.Dim())}
	if prior, ok := prior.(Sized); ok {
		own := prior.Footprint()
		sum = Footprint{Fixed: own.Fixed, Draw: max(sum.Draw, own.Draw)}
	}
	if g, ok := g.(Sized); ok {
		own := g.Footprint()
		sum.Fixed, sum.Draw = sum.Fixed+own.Fixed, sum.Draw+own.Draw
	}
	return sum
}
