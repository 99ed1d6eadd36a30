package formula

import (
	"math"
	"strconv"
)

// naive evaluates a syntax tree as it is written, with the largest value met on the way.
type naive struct{ x, largest float64 }

func (n *naive) met(v float64) float64 {
	n.largest = math.Max(n.largest, math.Abs(v))
	return v
}

func (n *naive) sum(s *sumText) float64 {
	v := n.product(s.First)
	for _, t := range s.Rest {
		if term := n.product(t.Term); t.Sign == "-" {
			v = n.met(v - term)
		} else {
			v = n.met(v + term)
		}
	}
	return v
}

func (n *naive) product(p *productText) float64 {
	v := n.signed(p.First)
	for _, t := range p.Rest {
		if factor := n.signed(t.Factor); t.Sign == "/" {
			n.met(1 / factor)
			v = n.met(v / factor)
		} else {
			v = n.met(v * factor)
		}
	}
	return v
}

func (n *naive) signed(s *signedText) float64 {
	if s.Power == nil {
		return -n.signed(s.Of)
	}
	v := n.atom(s.Power.Base)
	if s.Power.Exponent != nil {
		v = n.met(math.Pow(v, n.signed(s.Power.Exponent)))
	}
	return v
}

func (n *naive) atom(a *atomText) float64 {
	switch {
	case a.Group != nil:
		return n.sum(a.Group)
	case a.Called:
		return n.met(functions[a.Name].host(n.sum(a.Of)))
	case a.Name != "":
		return n.met(n.x)
	}
	v, err := strconv.ParseFloat(a.Number, 64)
	if err != nil {
		panic(err)
	}
	return n.met(v)
}
