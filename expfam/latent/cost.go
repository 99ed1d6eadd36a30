package latent

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/internal/machine"
)

// Cost is what draws of a posterior take: Flops operations of float64 and Bytes of memory.
type Cost struct{ Flops, Bytes float64 }

const (
	// gradients is the number of gradients that the pilot run and 500 draws are taken to need with few modes.
	gradients = 20000
	// Steps of trajectories are not shorter up to fewModes modes. The pilot run costs as much as pilotDraws draws.
	fewModes, pilotDraws = 3000, 140
	// slower is the time of an operation of a fast transform over that of one in a product of matrices.
	slower = 3
)

// DenseCost predicts the cost of a posterior whose prior is held by a matrix of modes. A decomposition takes about
// 10 n³ operations, a step of Newton rank² cells, of which there are ten, and a gradient 4 cells·rank + 2 rank².
func DenseCost(cells, rank int) Cost {
	n, r := float64(cells), float64(rank)
	return Cost{Flops: 10*n*n*n + 10*n*r*r + gradients*(4*n*r+2*r*r), Bytes: 8 * (3*n*n + 4*n*r + 3*r*r)}
}

// SpectralCost predicts the cost of draws of a posterior whose prior is diagonal in a fast transform with so many
// modes. Modes are whitened together as [ByModes] does. Most are whitened alone, so steps shorten with the fourth root
// of their number.
func SpectralCost(cells, modes, draws int) Cost {
	n, m := float64(cells), float64(modes)
	t := math.Min(m, float64(min(ManyModes, max(1, togetherSize/cells))))
	transform := slower * 5 * m * math.Log2(m+2)
	steps := gradients * math.Max(1, math.Pow(m/fewModes, 0.25)) * float64(pilotDraws+draws) / (pilotDraws + 500)
	return Cost{Flops: t*transform + n*t*t + t*t*t/3 + steps*(2*transform+2*t*t), Bytes: 8 * (2*n*t + 40*m)}
}

// Spectral reports whether the transform is cheaper than a matrix of all modes.
func Spectral(cells, modes int) bool {
	return SpectralCost(cells, modes, 500).Flops < DenseCost(cells, min(cells, modes)).Flops
}

const (
	// speed is the number of operations a second on two processors, and patience the seconds that work may take.
	speed, patience = 3e9, 300
)

// Fits refuses work that takes too long or more memory than is free. What names the work, and advice says what to do
// instead.
func (c Cost) Fits(what, advice string) error {
	if seconds := c.Flops / speed; seconds > patience {
		return fmt.Errorf("%s takes about %.2g s and %.2g GB, and at most %d s are taken; %s", what, seconds,
			c.Bytes/1e9, patience, advice)
	}
	return machine.Fits(what, c.Bytes, advice)
}
