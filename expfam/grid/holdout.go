package grid

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// HoldOut says which cells of the domain are held out: the posterior does not see their data, and is scored by them.
// The zero value is the paper's choice: 20% of the cells, at random.
type HoldOut struct {
	// Fraction of the cells inside, rounded up. Default 0.2.
	Fraction float64
	// None holds out no cell.
	None bool
	// Block is the edge, in cells, of the squares that are held out together. The squares tile the grid from its first
	// cell on. Cells inside a large block cannot be predicted from neighbours. Default 1.
	Block int
}

// Cells marks the cells that are held out. With single cells the fraction is exact. Blocks
// are added until the fraction is reached or exceeded.
func (h HoldOut) Cells(g Grid, rng *rand.Rand) ([]bool, error) {
	h.Fraction = cmp.Or(h.Fraction, 0.2)
	h.Block = cmp.Or(h.Block, 1)
	if err := g.Check(); err != nil {
		return nil, err
	}
	if !(h.Fraction > 0 && h.Fraction < 1) || h.Block < 1 {
		return nil, fmt.Errorf("grid: hold-out of %g in blocks of %d; the fraction must be between 0 and 1 and "+
			"blocks at least 1", h.Fraction, h.Block)
	}
	held := make([]bool, g.Len())
	if h.None {
		return held, nil
	}
	across := (g.Cols + h.Block - 1) / h.Block
	blocks := make([][]int, (g.Rows+h.Block-1)/h.Block*across)
	inside := 0
	for j := range held {
		if g.Inside(j) {
			r, c := g.Cell(j)
			b := r/h.Block*across + c/h.Block
			blocks[b] = append(blocks[b], j)
			inside++
		}
	}
	// Rounding may put a product that should be a whole number a little above it.
	goal := int(math.Ceil(h.Fraction*float64(inside) - 1e-9))
	for _, b := range rng.Perm(len(blocks)) {
		if goal <= 0 {
			break
		}
		for _, j := range blocks[b] {
			held[j] = true
		}
		goal -= len(blocks[b])
	}
	return held, nil
}
