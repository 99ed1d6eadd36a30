package diffusion

import "github.com/expfam/lab/expfam"

// Footprint returns the footprint of the inference network.
func (e Evidence) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Corrected) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Tempered) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

func inferrerFootprint(i Inferrer) expfam.Footprint {
	if i, ok := i.(expfam.Sized); ok {
		return i.Footprint()
	}
	return expfam.Footprint{}
}

// footprintOf returns the footprint of a prior and a guidance together.
func footprintOf(prior expfam.Prior, g Guidance) expfam.Footprint {
	sum := expfam.FootprintOf(prior)
	if g, ok := g.(expfam.Sized); ok {
		own := g.Footprint()
		sum.Fixed, sum.Draw = sum.Fixed+own.Fixed, sum.Draw+own.Draw
	}
	return sum
}
