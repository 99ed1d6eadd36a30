package expfam

import (
	"fmt"
	"math"
)

// InverseAt returns g(θ), the x at which the link has the value theta. It finds x by bisection, to the last
// bit. It is an error if the link never has that value. Where the link only rounds to theta, as exp(x) rounds to 0
// below −745, the result is one of the x that do.
func (t *Terms) InverseAt(theta float64) (float64, error) { return inverseAt(t.Link, theta) }

// inverseAt is [Terms.InverseAt] of a link.
func inverseAt(link Link, theta float64) (float64, error) {
	if math.IsNaN(theta) {
		return 0, fmt.Errorf("link %v: no x has theta = NaN", link)
	}
	low, high := -1.0, 1.0
	sign := 1.0
	if falls(link) {
		sign = -1
	}
	excess := func(x float64) float64 { return sign * (link.At(x) - theta) }
	for low > -1e12 && excess(low) > 0 {
		low *= 2
	}
	for high < 1e12 && excess(high) < 0 {
		high *= 2
	}
	if !(excess(low) <= 0 && excess(high) >= 0) {
		a, b := link.At(low), link.At(high)
		return 0, fmt.Errorf("link %v: no x has theta = %g; its values lie between %g and %g", link, theta,
			math.Min(a, b), math.Max(a, b))
	}
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return mid, nil
		}
		switch e := excess(mid); {
		case e == 0:
			return mid, nil
		case e < 0:
			low = mid
		default:
			high = mid
		}
	}
}

// falls reports whether the values of a link fall with x. Where a link rounds to the same number at −1 and 1, as
// sigmoid(2000−100x) rounds to 1, falls compares values further apart.
func falls(link Link) bool {
	for x := 1.0; x < 1e12; x *= 2 {
		if a, b := link.At(-x), link.At(x); a != b {
			return b < a
		}
	}
	return false
}
