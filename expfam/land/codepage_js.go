package land

import (
	"errors"

	"golang.org/x/text/encoding"
)

var eastern map[int]encoding.Encoding

// labelled knows no label in a page, because the tables are too large for it.
func labelled(string) (encoding.Encoding, string, error) { return nil, "", errors.ErrUnsupported }
