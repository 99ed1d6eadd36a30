package live

import (
	"fmt"
	"slices"
)

// Mask is a grid of cells that a person paints with the pointer.
type Mask struct {
	Label         string
	Columns, Rows int
	Cells         []bool // row-major from the top left; nil means none painted
	When          When
}

func (m *Mask) prepare() error {
	if m.Columns < 1 || m.Rows < 1 || m.Columns > 512 || m.Rows > 512 {
		return fmt.Errorf("live: %q: %d columns and %d rows; give 1 to 512 of each", m.Label, m.Columns, m.Rows)
	}
	if m.Cells == nil {
		m.Cells = make([]bool, m.Columns*m.Rows)
	}
	if len(m.Cells) != m.Columns*m.Rows {
		return fmt.Errorf("live: %q: %d cells for %d columns and %d rows", m.Label, len(m.Cells), m.Columns, m.Rows)
	}
	return nil
}

// bits returns the cells as a text of 0 and 1, the form in which they are sent.
func (m *Mask) bits() string {
	b := make([]byte, len(m.Cells))
	for i, on := range m.Cells {
		b[i] = '0'
		if on {
			b[i] = '1'
		}
	}
	return string(b)
}

func (m *Mask) set(v any) (bool, error) {
	s, err := decode[string](m.Label, v)
	if err != nil {
		return false, err
	}
	if len(s) != m.Columns*m.Rows {
		return false, fmt.Errorf("live: %q: the front end sent %d cells for %d", m.Label, len(s), m.Columns*m.Rows)
	}
	cells := make([]bool, len(s))
	for i := range cells {
		cells[i] = s[i] == '1'
	}
	changed := !slices.Equal(cells, m.Cells)
	m.Cells = cells
	return changed, nil
}

func (m *Mask) text() string {
	n := 0
	for _, on := range m.Cells {
		if on {
			n++
		}
	}
	return fmt.Sprintf("%d of %d cells", n, len(m.Cells))
}

func (m *Mask) spec() spec {
	return spec{Kind: "mask", Label: m.Label, When: m.When, Columns: m.Columns, Rows: m.Rows, Value: m.bits()}
}
