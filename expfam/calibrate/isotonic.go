package calibrate

// isotonic returns the non-decreasing values that are closest to y in weighted least squares, by pooling adjacent
// violators (Ayer et al. 1955). Weights are positive.
func isotonic(y, weights []float64) []float64 {
	type pool struct {
		mean, weight float64
		n            int
	}
	var pools []pool
	for i, v := range y {
		p := pool{v, weights[i], 1}
		for len(pools) > 0 && pools[len(pools)-1].mean >= p.mean {
			last := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			w := last.weight + p.weight
			p = pool{(last.mean*last.weight + p.mean*p.weight) / w, w, last.n + p.n}
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(y))
	for _, p := range pools {
		for range p.n {
			out = append(out, p.mean)
		}
	}
	return out
}
