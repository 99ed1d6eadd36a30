package graph

import (
	"fmt"
	"slices"

	g "github.com/gomlx/gomlx/core/graph"
)

// located is a block whose cells have names and outlines.
type located interface {
	CellNames() []string
	Outlines() [][][][2]float64
}

// CellNames returns the names of the cells of all blocks, or their numbers in the block; see [expfam.Posterior.Locate].
func (p *Sum) CellNames() (names []string) {
	for _, b := range p.made() {
		var own []string
		if l, ok := b.Of.(located); ok {
			own = l.CellNames()
		}
		for i := range b.Of.Dim() {
			if own == nil {
				names = append(names, fmt.Sprint(i))
			} else {
				names = append(names, own[i])
			}
		}
	}
	return names
}

// Outlines returns the outlines of the cells of all blocks, some of which have none; see [expfam.Posterior.Locate].
func (p *Sum) Outlines() (outlines [][][][2]float64) {
	some := false
	for _, b := range p.made() {
		own := make([][][][2]float64, b.Of.Dim())
		if l, ok := b.Of.(located); ok {
			some = some || l.Outlines() != nil
			copy(own, l.Outlines())
		}
		outlines = slices.Concat(outlines, own)
	}
	if !some {
		return nil
	}
	return outlines
}

// Dims implements [expfam.Operator].
func (p *Sum) Dims() (data, cells int) { p.made(); return p.at.Dims() }

// Addends returns the number of blocks; see [operator.Blocks].
func (p *Sum) Addends() int { return len(p.made()) }

// Apply implements [expfam.Operator].
func (p *Sum) Apply(x *g.Node) *g.Node { p.made(); return p.at.Apply(x) }

// Adjoint implements [expfam.Operator].
func (p *Sum) Adjoint(y *g.Node) *g.Node { p.made(); return p.at.Adjoint(y) }

// Row implements [expfam.RowOperator].
func (p *Sum) Row(k int, visit func(cell int, weight float64)) { p.made(); p.at.Row(k, visit) }

// Offset implements [expfam.OffsetOperator]. Nil means 0.
func (p *Sum) Offset() []float64 { p.made(); return p.at.Offset() }

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (p *Sum) Fingerprint() string { p.made(); return p.at.Fingerprint() }
