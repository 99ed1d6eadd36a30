package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// TestFirstScreen tests that the first figure of every lesson and of the index is on the first screen of a laptop and
// of a phone: all of it, or at least 200 px, which is half of a chart; and that charts are laid out for its width.
func TestFirstScreen(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)...)
	p := host(t, dir)
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		p.size(size[0], size[1])
		for _, path := range must.Get(filepath.Glob(filepath.Join(dir, "*.html")))(t) {
			p.visit(filepath.Base(path))
			time.Sleep(500 * time.Millisecond) // charts take the place of pictures
			at := in[[2]float64](p, time.Minute, "first")
			seen := min(at[1], float64(size[1])) - at[0]
			name := strings.TrimSuffix(filepath.Base(path), ".html")
			t.Logf("%s, %d px wide: from %.0f to %.0f px", name, size[0], at[0], at[1])
			must.Be(t, seen >= min(200, at[1]-at[0]),
				"%s, %d px wide: %.0f px of the first figure are on the first screen", name, size[0], seen)
			wide := in[[]string](p, time.Minute, "wide")
			must.Be(t, len(wide) == 0, "%s, %d px wide: charts of another width: %q", name, size[0], wide)
		}
	}
}

// TestTyped tests that a number can be typed beside a slider, and what is outside of the scale becomes its end.
func TestTyped(t *testing.T) {
	beside(t)
	shots(t)
	p := host(t, sited(t, lessons(t)[0]))
	p.visit("00-ten-rates.html")
	cell := in[[]string](p, time.Minute, "cells")[0]
	in[float64](p, 2*time.Minute, "live", cell, 90000)
	was := in[string](p, time.Minute, "figure", cell, 60000)
	for text, value := range map[string]string{"4,25": "4.25", "1e3": "20"} {
		got := in[drawn](p, time.Minute, "type", cell, "your middle", text, 60000)
		now := in[[]control](p, time.Minute, "controls", cell)[0]
		must.Be(t, got.Error == "" && got.Figure != was && strings.HasPrefix(now.Value, value[:1]),
			"%q gives %s, want %s: %s", text, now.Value, value, got.Error)
	}
	before := in[[]control](p, time.Minute, "controls", cell)[0].Value
	in[drawn](p, time.Minute, "type", cell, "your middle", "much", 60000)
	must.Equal(t, in[[]control](p, time.Minute, "controls", cell)[0].Value, before, "after a word")
}
