package expfam

import "strconv"

// located is a prior, an operator or a graph whose cells, data or areas are regions with names and outlines. Package
// graph has such priors, if the graph was made of outlines. A posterior of them is shown as a map.
type located interface {
	CellNames() []string // nil: they have none
	// Outlines returns the outline of each region: closed rings of positions, longitude before latitude. Nil: they have
	// none.
	Outlines() [][][][2]float64
}

// Locate fills in Info.Rows and Info.Cols, the grid of the prior. It gives the cells of the posterior the names and
// outlines of the regions of a prior, an operator or a graph with methods CellNames and Outlines, or of the parts of a
// [Product]. Samplers call it.
func (p *Posterior) Locate(prior Prior) {
	p.Info.Rows, p.Info.Cols = shapeOf(prior)
	names, outlines := places(prior)
	if len(names) > 0 && p.Info.Names == nil {
		p.Info.Names = names
	}
	p.Info.Outlines = outlines
}

// places returns names and outlines of the cells of a prior. Cells of other parts of a product have numbers and no
// outline. Both are nil if no cell has any.
func places(prior Prior) (names []string, outlines [][][][2]float64) {
	if parts, ok := prior.(interface{ Parts() []Prior }); ok {
		some, lined := false, false
		for _, part := range parts.Parts() {
			own, rings := places(part)
			some, lined = some || own != nil, lined || rings != nil
			for i := range part.Dim() {
				name, outline := strconv.Itoa(i), [][][2]float64(nil)
				if own != nil {
					name = own[i]
				}
				if rings != nil {
					outline = rings[i]
				}
				names, outlines = append(names, name), append(outlines, outline)
			}
		}
		if !some {
			names = nil
		}
		if !lined {
			outlines = nil
		}
		return names, outlines
	}
	l, ok := prior.(located)
	if !ok {
		return nil, nil
	}
	if names = l.CellNames(); len(names) != prior.Dim() {
		return nil, nil
	}
	if outlines = l.Outlines(); len(outlines) != prior.Dim() {
		outlines = nil
	}
	return names, outlines
}

// Outlines returns the outlines of the cells, or nil if one of them has none; see [Posterior.Locate].
func (p *Posterior) Outlines() [][][][2]float64 {
	if _, cells := p.Dims(); len(p.Info.Outlines) != cells {
		return nil
	}
	for _, o := range p.Info.Outlines {
		if o == nil {
			return nil
		}
	}
	return p.Info.Outlines
}

// rowOutlines returns the outlines of the data of an operator, or nil if they have none.
func rowOutlines(op any, n int) [][][][2]float64 {
	if o, ok := op.(interface{ Outlines() [][][][2]float64 }); ok {
		if outlines := o.Outlines(); len(outlines) == n {
			return outlines
		}
	}
	return nil
}
