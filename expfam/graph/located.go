package graph

import (
	"fmt"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/land"
)

// On returns the same graph with the outlines of regions, which are found by their names. A posterior on it is shown as
// a map. [Borders] makes such graphs itself; On is for lists of neighbours.
//
//	counties, err := n.On(regions)
func (n *Neighbours) On(regions []land.Region) (*Neighbours, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	if len(regions) == 0 {
		return nil, fmt.Errorf("graph: there are no regions; give one for each of the %d areas", n.Len())
	}
	names, of := make([]string, len(regions)), map[string]land.Region{}
	for i, r := range regions {
		names[i], of[r.Name] = r.Name, r
	}
	if err := distinct("areas", names); err != nil {
		return nil, err
	}
	out := &Neighbours{Names: n.Names, Of: n.Of, Regions: make([]land.Region, n.Len())}
	for i := range out.Regions {
		r, found := of[n.Name(i)]
		if !found {
			return nil, fmt.Errorf("graph: area %s of the graph is none of the %d regions; the nearest names are %s",
				n.Name(i), len(regions), nearest.List(n.Name(i), names, 3))
		}
		out.Regions[i] = r
	}
	return out, nil
}

// CellNames returns the names of the areas; see [expfam.Posterior.Locate].
func (n *Neighbours) CellNames() []string {
	if n == nil || n.Names == nil {
		return nil
	}
	return n.Names
}

// Outlines returns the outlines of the areas, or nil if the graph has no Regions.
func (n *Neighbours) Outlines() [][][][2]float64 {
	if n == nil || len(n.Regions) != n.Len() {
		return nil
	}
	out := make([][][][2]float64, len(n.Regions))
	for i, r := range n.Regions {
		out[i] = r.Outline()
	}
	return out
}

// Edges returns the pairs of neighbours, the smaller number first. viz.Show draws them over the map.
func (n *Neighbours) Edges() (pairs [][2]int) {
	for i, of := range n.Of {
		for _, j := range of {
			if i < j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// CellNames returns the names of the regions.
func (p BYM2) CellNames() []string { return p.Neighbours.CellNames() }

// Outlines returns the outlines of the regions.
func (p BYM2) Outlines() [][][][2]float64 { return p.Neighbours.Outlines() }

// CellNames returns the names of the regions.
func (p Leroux) CellNames() []string { return p.Neighbours.CellNames() }

// Outlines returns the outlines of the regions.
func (p Leroux) Outlines() [][][][2]float64 { return p.Neighbours.Outlines() }

// CellNames returns the names of the regions.
func (p DAGAR) CellNames() []string { return p.Neighbours.CellNames() }

// Outlines returns the outlines of the regions.
func (p DAGAR) Outlines() [][][][2]float64 { return p.Neighbours.Outlines() }

// CellNames returns the names of the regions.
func (p ICAR) CellNames() []string { return p.Neighbours.CellNames() }

// Outlines returns the outlines of the regions.
func (p ICAR) Outlines() [][][][2]float64 { return p.Neighbours.Outlines() }

// CellNames returns the names of the regions.
func (p CAR) CellNames() []string { return p.Neighbours.CellNames() }

// Outlines returns the outlines of the regions.
func (p CAR) Outlines() [][][][2]float64 { return p.Neighbours.Outlines() }
