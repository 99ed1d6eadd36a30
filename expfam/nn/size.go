package nn

import "fmt"

// size is a field of a network that counts something.
type size struct {
	name         string
	value, least int
}

// checkSizes refuses a field below its least value by name.
func checkSizes(network string, sizes ...size) error {
	for _, s := range sizes {
		if s.value < s.least {
			return fmt.Errorf("%s with %s %d; give at least %d, or 0 for the default", network, s.name, s.value, s.least)
		}
	}
	return nil
}

// checkEmbedding refuses what is not a number of sines and as many cosines.
func checkEmbedding(network string, n int) error {
	if n < 2 || n%2 != 0 {
		return fmt.Errorf("%s with Embedding %d; give an even number of at least 2, or 0 for 64", network, n)
	}
	return nil
}
