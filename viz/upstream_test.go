package viz

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/internal/must"
)

// What gonum/plot gets wrong and this package goes around. A failure is good news:
// docs/workarounds.md says what can go. TestMapPDF is the third of them.
func TestLimitsOfPlot(t *testing.T) {
	t.Run("PDF has no bold Liberation", func(t *testing.T) {
		c := vgpdf.New(100, 100)
		c.FillString(font.DefaultCache.Lookup(style(12, true, ink).Font, 12), vg.Point{X: 10, Y: 10}, "bold")
		var b bytes.Buffer
		must.Refuse(c.WriteTo(&b))(t)
	})
	t.Run("SVG calls a PNG a JPEG", func(t *testing.T) {
		c := vgsvg.New(10, 10)
		c.DrawImage(vg.Rectangle{Max: vg.Point{X: 5, Y: 5}}, image.NewGray(image.Rect(0, 0, 1, 1)))
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil || !strings.Contains(b.String(), "data:image/jpg;base64,iVBOR") {
			t.Errorf("vgsvg names the type of its images differently now (%v)", err)
		}
	})
}
