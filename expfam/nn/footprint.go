package nn

import "fmt"

// Sizer is a network that knows how much an evaluation keeps in memory; see [Footprint].
type Sizer interface {
	// Footprint returns about how many numbers are kept in memory between an evaluation and its gradient, for
	// one draw with this number of cells.
	Footprint(cells int) float64
}

// Footprint returns about how many numbers the evaluation of one draw keeps in memory for its gradient. A [Sizer]
// knows this number. Other networks are assumed to be dense: a layer keeps as many numbers as its matrix has
// columns, and as many again for the activation.
func Footprint(n Network, cells, heads int) float64 {
	if n, ok := n.(Sizer); ok {
		return n.Footprint(cells)
	}
	sum := 0
	for _, p := range n.Params(cells, heads) {
		if last := len(p.Shape) - 1; last > 0 && p.Size() > p.Shape[last] { // not a bias
			sum += 2 * p.Shape[last]
		}
	}
	return float64(sum)
}

// Footprint counts the arrays that the stages keep; see [Sizer]. A block keeps its input and the output of its
// first convolution, each with its sigmoid, and for each the three arrays of a group norm if there is one.
// Attention keeps the matrix of all pairs of cells, before and after the softmax, besides arrays per channel.
func (n UNet) Footprint(cells int) float64 {
	n = n.orDefault()
	of := 2. // arrays kept for each input of a convolution
	if n.Groups > 0 {
		of += 3
	}
	at := float64(cells - n.Parameters)
	sum := of * at * float64(n.Channels) // the input of the heads
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

// size is an integer field of a network, with its least allowed value.
type size struct {
	name         string
	value, least int
}

// checkSizes returns an error that names the first field below its least value.
func checkSizes(network string, sizes ...size) error {
	for _, s := range sizes {
		if s.value < s.least {
			return fmt.Errorf("%s with %s %d; give at least %d, or 0 for the default", network, s.name, s.value,
				s.least)
		}
	}
	return nil
}

// checkEmbedding refuses an Embedding that is not an even number of at least 2: half are sines, half cosines.
func checkEmbedding(network string, n int) error {
	if n < 2 || n%2 != 0 {
		return fmt.Errorf("%s with Embedding %d; give an even number of at least 2, or 0 for 64", network, n)
	}
	return nil
}
