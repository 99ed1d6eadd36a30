package viz

import "errors"

func (rendering) pdf() ([]byte, error) {
	return nil, errors.New("viz: a program in a page cannot write PDF; run it outside of the browser")
}
