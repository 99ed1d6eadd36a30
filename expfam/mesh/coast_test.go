package mesh_test

import (
	"math"

	"github.com/expfam/lab/expfam"
)

// coast is a random bay of about the size 10: a circle with a spit of land, which reaches from the rim past the middle.
func coast(seed int) (ring [][2]float64) {
	rng := expfam.Stream(uint64(seed), "coast")
	width := 0.12 + 0.1*rng.Float64() // of the spit, in radians at the rim
	turn, a, b := 2*math.Pi*rng.Float64(), rng.NormFloat64(), rng.NormFloat64()
	at := func(angle, r float64) {
		ring = append(ring, [2]float64{r * math.Cos(angle+turn), r * math.Sin(angle+turn)})
	}
	const steps = 60
	for k := range steps + 1 {
		angle := width + (2*math.Pi-2*width)*float64(k)/steps
		at(angle, 5+0.4*a*math.Sin(2*angle)+0.3*b*math.Cos(3*angle))
	}
	// The spit's tip lies beyond the middle.
	c, s := math.Cos(turn), math.Sin(turn)
	half := 5 * math.Sin(width)
	for _, p := range [][2]float64{{-1.5, -half}, {-1.5, half}} {
		ring = append(ring, [2]float64{p[0]*c - p[1]*s, p[0]*s + p[1]*c})
	}
	return ring
}
