package expfam

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
	sum := FootprintOf(prior)
	if g, ok := g.(Sized); ok {
		own := g.Footprint()
		sum.Fixed, sum.Draw = sum.Fixed+own.Fixed, sum.Draw+own.Draw
	}
	return sum
}
