package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panels shows several figures side by side in one display and one image. A panel is any
// figure that is a chart, also your own *Chart. A Table cannot be a panel.
//
//	viz.Show(viz.Panels{Figures: []viz.Figure{link, implied}, ShareY: true})
type Panels struct {
	Figures []Figure // row by row
	Columns int      // 0 means 2, or 1 for a single figure

	// ShareX and ShareY give all panels the same range of x and of y.
	ShareX, ShareY bool

	Title string
	Note  string  // printed below all
	Width float64 // px of the whole; 0 means 1000
	// Height is the height in px of each panel that does not set its own; 0 means 340.
	Height float64
}

// Encode implements Figure.
func (v Panels) Encode(format Format) ([]byte, error) {
	if format == Phone {
		v.Width, v.Columns = phoneWidth, 1
	}
	s, err := v.layout()
	if err != nil {
		return nil, err
	}
	if format != Text {
		return rendering{"panels", s.width, s.height, s.altText(), s.paint, s.html}.encode(format)
	}
	lines := []string{v.Title}
	for _, d := range s.panels {
		text, err := d.Encode(Text)
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.TrimSuffix(string(text), "\n"))
	}
	lines = slices.DeleteFunc(append(lines, v.Note), func(l string) bool { return l == "" })
	return []byte(strings.Join(lines, "\n") + "\n"), nil
}

// panelGrid is Panels after layout. It holds everything that does not depend on the format.
type panelGrid struct {
	Panels
	charts        []*Chart // before layout
	panels        []*drawing
	at            [][2]float64 // upper left corners of the panels, px
	head          float64      // height of the title, px
	width, height float64
}

func (v Panels) layout() (*panelGrid, error) {
	s := &panelGrid{Panels: v, width: v.Width}
	if len(v.Figures) == 0 {
		return nil, fmt.Errorf("panels: no figures; give at least one")
	}
	s.Columns = cmp.Or(s.Columns, min(2, len(v.Figures)))
	if s.Columns < 1 || s.Columns > len(v.Figures) {
		return nil, fmt.Errorf("panels: %d columns for %d figures; use 1 to %d", s.Columns, len(v.Figures),
			len(v.Figures))
	}
	s.width = cmp.Or(s.width, 1000)
	for k, fig := range v.Figures {
		if isNil(fig) {
			return nil, fmt.Errorf("panels: figure %d is nil; look at the error of the function that should have "+
				"made it", k+1)
		}
		charted, ok := fig.(interface{ Chart() (*Chart, error) })
		if !ok {
			return nil, fmt.Errorf("panels: figure %d is a %T, which has no chart; show it by itself", k+1, fig)
		}
		own, err := charted.Chart()
		if err != nil {
			return nil, fmt.Errorf("panels: figure %d: %w", k+1, err)
		}
		c := new(Chart)
		*c = *own // a copy, so that the caller's own chart keeps its size
		c.Width = s.width / float64(s.Columns)
		c.Height = cmp.Or(c.Height, v.Height)
		c.Height = cmp.Or(c.Height, 340)
		d, err := c.layout()
		if err != nil {
			return nil, fmt.Errorf("panels: figure %d: %w", k+1, err)
		}
		s.charts, s.panels = append(s.charts, c), append(s.panels, d)
	}
	if err := s.share(); err != nil {
		return nil, err
	}
	if v.Title != "" {
		s.head = 30
	}
	s.height = s.head
	for from := 0; from < len(s.panels); from += s.Columns {
		tallest := 0.0
		for k, d := range s.panels[from:min(from+s.Columns, len(s.panels))] {
			s.at = append(s.at, [2]float64{float64(k) * d.Width, s.height})
			tallest = max(tallest, d.Height)
		}
		s.height += tallest
	}
	s.height += s.foot()
	return s, nil
}

// share lays out the panels again over the union of their ranges.
func (s *panelGrid) share() error {
	if !s.ShareX && !s.ShareY {
		return nil
	}
	all := emptyBox()
	for _, d := range s.panels {
		all = all.add(d.xmin, d.ymin).add(d.xmax, d.ymax)
	}
	for k, c := range s.charts {
		if s.ShareX {
			c.X.Min, c.X.Max = all.xmin, all.xmax
		}
		if s.ShareY {
			c.Y.Min, c.Y.Max = all.ymin, all.ymax
		}
		var err error
		if s.panels[k], err = c.layout(); err != nil {
			return fmt.Errorf("panels: figure %d: %w", k+1, err)
		}
	}
	return nil
}

// foot returns the height of the note in px.
func (s *panelGrid) foot() float64 {
	lines := len(wrap(printable(s.Note), style(11, false, soft), px(s.width-24)))
	if lines == 0 {
		return 0
	}
	return float64(15*lines + 12)
}

func (s *panelGrid) altText() []string {
	words := (&Chart{Title: s.Title}).altText()
	for _, d := range s.panels {
		words = append(words, d.altText()...)
	}
	return append(words, (&Chart{Note: s.Note}).altText()...)
}

func (s *panelGrid) paint(c draw.Canvas) {
	c.SetColor(canvas)
	c.Fill(c.Rectangle.Path())
	for k, d := range s.panels {
		left, top := c.Min.X+px(s.at[k][0]), c.Max.Y-px(s.at[k][1])
		d.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: top - px(d.Height)}, Max: vg.Point{X: left + px(d.Width), Y: top}}})
	}
	rim := draw.Crop(c, px(10), -px(14), px(8), -px(10))
	heading(&rim, s.Title)
	footnote(&rim, s.Note)
}

func (s *panelGrid) html(svg []byte) ([]byte, error) {
	u := interactiveScript{Width: s.width, Columns: s.Columns, Title: clean(s.Title), Note: clean(s.Note),
		Tips: [][3]any{}}
	for k, d := range s.panels {
		p, err := d.interactive()
		if err != nil {
			return nil, err
		}
		u.Panels = append(u.Panels, p)
		for _, t := range d.hover() {
			u.Tips = append(u.Tips, [3]any{t[0].(float64) + s.at[k][0], t[1].(float64) + s.at[k][1], t[2]})
		}
	}
	return fragment(svg, strings.Join(s.altText(), "; "), u)
}

// slotWidth returns the width, in units of x, that one cell may take. It is the smallest gap between cells, or a third
// of the mean gap if that is larger, as it is for very uneven positions.
func slotWidth(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	s = slices.Compact(s)
	if len(s) < 2 {
		return 1
	}
	gap := math.Inf(1)
	for i := 1; i < len(s); i++ {
		gap = min(gap, s[i]-s[i-1])
	}
	return max(gap, (s[len(s)-1]-s[0])/float64(len(s)-1)/3)
}

// shadeCells makes the ground of every second cell grey, so that the eye keeps the methods of a cell together.
func shadeCells(c *Chart, x []float64, slot float64) {
	s := slices.Clone(x)
	slices.Sort(s)
	for j := 1; j < len(s); j += 2 {
		c.Stripe(s[j]-slot/2, s[j]+slot/2)
	}
}
