package expfam

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/safefile"
)

// WriteNPY writes the draws of θ for NumPy as float64.
func (p *Posterior) WriteNPY(path string) error { return p.writeNPY(path, false) }

// WriteNPY32 writes the draws of θ for NumPy as float32: half the size, 7 digits.
func (p *Posterior) WriteNPY32(path string) error { return p.writeNPY(path, true) }

func (p *Posterior) writeNPY(path string, single bool) error {
	if p == nil || p.X == nil {
		return errNoDraws
	}
	return p.Theta().writeNPY(path, single)
}

// WriteCSV writes the draws of θ, one a line, under a header cell_0, cell_1 … Parameters follow under their names.
// Numbers read back as the same float64.
func (p *Posterior) WriteCSV(path string) error {
	if p == nil || p.X == nil {
		return errNoDraws
	}
	if err := p.checkParameters(); err != nil {
		return err
	}
	draws, cells := p.Dims()
	return store.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		record := make([]string, cells+len(p.Parameters))
		for j := range cells {
			record[j] = "cell_" + strconv.Itoa(j)
		}
		for k, q := range p.Parameters {
			record[cells+k] = safefile.Cell(q.Label())
		}
		if err := out.Write(record); err != nil {
			return err
		}
		for i := range draws {
			for j, x := range p.Theta().X.RawRowView(i) {
				record[j] = strconv.FormatFloat(x, 'g', -1, 64)
			}
			for k, q := range p.Parameters {
				record[cells+k] = strconv.FormatFloat(q.Draws[i], 'g', -1, 64)
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// WriteNPY writes the (draws, cells) array in NumPy's format 1.0 (numpy.lib.format), as little-endian float64 and in
// row-major order; numpy.load reads it.
func (d *Draws) WriteNPY(path string) error { return d.writeNPY(path, false) }

// WriteNPY32 is [Draws.WriteNPY] as float32: half the size, 7 digits.
func (d *Draws) WriteNPY32(path string) error { return d.writeNPY(path, true) }

func (d *Draws) writeNPY(path string, single bool) error {
	draws, cells := d.X.Dims()
	descr := "<f8"
	if single {
		descr = "<f4"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, draws, cells)
	// Magic, version and length take 10 bytes. The data start at a multiple of 64 bytes, after a line feed.
	header += strings.Repeat(" ", (64-(10+len(header)+1)%64)%64) + "\n"
	return store.WriteFile(path, func(w io.Writer) error {
		prefix := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
		if _, err := w.Write(append(prefix, header...)); err != nil {
			return err
		}
		var raw []byte
		for i := range draws {
			raw = raw[:0]
			for _, x := range d.X.RawRowView(i) {
				if single {
					raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
				} else {
					raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
				}
			}
			if _, err := w.Write(raw); err != nil {
				return err
			}
		}
		return nil
	})
}
