package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// JoinSBC joins parts of a study that several machines have run with other values of [SBC.First], in any order. The
// result is the one that a single machine has of all simulations.
func JoinSBC(parts ...*SBCResult) (*SBCResult, error) {
	if len(parts) == 0 || slices.Contains(parts, nil) {
		return nil, errors.New("calibrate: join sbc: no results; give those of all parts")
	}
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b *SBCResult) int { return cmp.Compare(a.First, b.First) })
	all := *parts[0]
	all.Ranks = make([][]Rank, len(all.Names))
	next := all.First
	for _, p := range parts {
		if p.Name != all.Name || p.Seed != all.Seed ||
			!slices.Equal(p.Names, all.Names) || len(p.Ranks) != len(all.Ranks) {
			return nil, fmt.Errorf("calibrate: join sbc: simulation %d is of another study (%s, seed %d, %q) "+
				"than that of simulation %d (%s, seed %d, %q)", p.First, p.Name, p.Seed, p.Names, all.First,
				all.Name, all.Seed, all.Names)
		}
		if p.First != next {
			return nil, fmt.Errorf("calibrate: join sbc: a part begins with simulation %d, and %d comes next; give "+
				"each part once", p.First, next)
		}
		for q, ranks := range p.Ranks {
			all.Ranks[q] = append(all.Ranks[q], ranks...)
		}
		if len(p.Ranks) > 0 {
			next += len(p.Ranks[0])
		}
	}
	return &all, nil
}
