package viz

import (
	"errors"

	"gonum.org/v1/plot/vg/draw"
)

var errPDF = errors.New("viz: a program in a page cannot write PDF; run it outside of the browser")

func (d *drawing) pdf() ([]byte, error) { return nil, errPDF }

func document(string, float64, float64, func(draw.Canvas)) ([]byte, error) { return nil, errPDF }
