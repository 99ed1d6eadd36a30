package viz

import (
	"errors"

	"gonum.org/v1/plot/vg/draw"
)

var errPDF = errors.New("viz: no PDF in a browser: its writer is left out of programs that pages fetch; run this natively")

func (d *drawing) pdf() ([]byte, error) { return nil, errPDF }

func document(string, float64, float64, func(draw.Canvas)) ([]byte, error) { return nil, errPDF }
