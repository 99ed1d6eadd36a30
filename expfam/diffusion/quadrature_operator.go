package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// throughOperator returns the shift for data that look at the cells through an operator. Datum k sees η_k | x_t ~
// N(μ_k, v_k) with μ = H m + offset and v_k = (H C Hᵀ)_kk. The slope and the information of its evidence give a site
// with pull √W r and precision W; see [Quadrature.sites]. The shift is
//
//	δ = C Hᵀ √W u,  (I + √W H C Hᵀ √W) u = √W r.
func (q Quadrature) throughOperator(p *Point) *Node {
	var parts []linearisation
	var slopes, rhos, bends []*Node
	batch := p.Mean.Shape().Dimensions[0]
	for _, s := range p.graphParts() {
		one := s.linearise(p)
		one.variance = BroadcastToDims(one.variance, batch, s.Rows)
		datum := &Point{Mean: one.mean, Var: one.variance, Stat: s.part(p.Stat), Size: s.part(p.Size), Terms: s.Terms}
		g, rho := q.tilt(datum)
		if p.skew != nil {
			bends = append(bends, inVariance(g, rho, datum.Var))
		}
		parts, slopes, rhos = append(parts, one), append(slopes, g), append(rhos, rho)
	}
	all := stack(p.graphParts(), parts)
	g, rho := join(slopes), join(rhos)
	joined, precision := q.sites(all, g, rho)
	// The variance of each cell given x_t and the data that look at it, as if the other cells were known and
	// independent of it.
	p.rest = Reciprocal(Add(Reciprocal(p.Var), all.back(precision)))
	var shift *Node
	if q.Independent {
		shift = p.Cov(all.from(g))
	} else {
		shift = p.move(joined)
	}
	if p.skew != nil {
		shift = Add(shift, skewness(p, all.back(join(bends))))
	}
	return shift
}

// stack joins what the data sets see, in their order, into one linearisation.
func stack(sets []graphPart, parts []linearisation) linearisation {
	if len(parts) == 1 {
		return parts[0]
	}
	var variances, rows []*Node
	for _, part := range parts {
		variances = append(variances, part.variance)
		if part.rows != nil {
			rows = append(rows, part.rows)
		}
	}
	all := linearisation{variance: join(variances)}
	all.to = func(u *Node) *Node {
		var out []*Node
		for _, part := range parts {
			out = append(out, part.to(u))
		}
		return join(out)
	}
	all.from = func(u *Node) *Node {
		var sum *Node
		for i, part := range parts {
			sum = addTo(sum, part.from(sets[i].part(u)))
		}
		return sum
	}
	all.back = func(u *Node) *Node {
		var sum *Node
		for i, part := range parts {
			sum = addTo(sum, part.back(sets[i].part(u)))
		}
		return sum
	}
	if len(rows) == len(parts) {
		batch := 1
		for _, r := range rows {
			batch = max(batch, r.Shape().Dimensions[0])
		}
		for i, r := range rows {
			dims := r.Shape().Dimensions
			rows[i] = BroadcastToDims(r, batch, dims[1], dims[2])
		}
		all.rows = Concatenate(rows, 1)
	}
	return all
}

// join concatenates nodes of shape (batch, rows), one for each data set, along the rows.
func join(parts []*Node) *Node {
	if len(parts) == 1 {
		return parts[0]
	}
	return Concatenate(parts, 1)
}
