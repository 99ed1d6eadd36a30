package nn

// Sizer is a network that knows what an evaluation keeps in memory; see
// [Footprint].
type Sizer interface {
	// Footprint is about how many numbers one draw with this number of cells leaves in
	// memory between the evaluation and its gradient.
	Footprint(cells int) float64
}

// Footprint is the Footprint of a network that is a [Sizer]. Other networks are assumed
// to be dense: a layer leaves as many numbers as its matrix has columns, and as many
// again for the activation.
func Footprint(n Network, cells, heads int) float64 {
	if n, ok := n.(Sizer); ok {
		return n.Footprint(cells)
	}
	sum := 0
	for _, p := range n.Params(cells, heads) {
		if p.Size() > p.Shape[len(p.Shape)-1] { // not a bias
			sum += 2 * p.Shape[len(p.Shape)-1]
		}
	}
	return float64(sum)
}

// Footprint counts what a block takes in and what its first convolution puts
// out, each with its sigmoid, and the three arrays of a group norm if there is
// one; of attention, the matrix of all pairs of cells before and after the softmax.
func (n UNet) Footprint(cells int) float64 {
	n = n.orDefault()
	of := 2.
	if n.Groups > 0 {
		of += 3
	}
	at := float64(cells)
	sum := of * at * float64(n.Channels) // what the heads take in
	for _, s := range n.stages() {
		switch s.kind {
		case "block":
			sum += of * at * float64(s.in+s.out)
		case "attention":
			sum += at * (2*at + (of+4)*float64(s.in))
		case "halve":
			at /= 4
		case "double":
			at *= 4
		}
	}
	return sum
}
