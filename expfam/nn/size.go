package nn

import "fmt"

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
