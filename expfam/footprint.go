package expfam

// Footprint says how many numbers a part of a sampler keeps in memory. Fixed counts the
// weights. Draw counts the numbers that the evaluation of one draw keeps for its Jacobian
// products, at least eight per cell.
type Footprint struct {
	Fixed, Draw float64
}

// Sized is a prior, a guidance or an inference network that knows its footprint. Others
// are assumed to be small.
type Sized interface{ Footprint() Footprint }

// Footprint returns the footprint of the inference network.
func (e Evidence) Footprint() Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Corrected) Footprint() Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Tempered) Footprint() Footprint { return inferrerFootprint(e.Inference) }

func inferrerFootprint(i Inferrer) Footprint {
	if i, ok := i.(Sized); ok {
		return i.Footprint()
	}
	return Footprint{}
}

// footprintOf returns the footprint of a prior and a guidance together.
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
