package browser

import (
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// rectangle is where an element is in the window, in CSS pixels.
type rectangle struct{ Left, Top, Width, Height float64 }

// shown is a figure of a panel that follows a movement.
type shown struct {
	MS   float64 // since the watch began
	Text string  // all that is written in the figure
}

// paint drags the pointer over the mask of a panel whose figures come in steps, twice: the second stroke begins before
// the figures of the first are all there. In the end the panel has to show the figure of both strokes, whose text holds
// want.
func (p page) paint(cell int, want string) {
	p.t.Helper()
	js[any](p, 5*time.Minute, "live", cell)
	js[any](p, 2*time.Minute, "settled", cell)
	before := js[int](p, time.Minute, "cellsPainted", cell)
	box := js[rectangle](p, time.Minute, "mask", cell)
	js[any](p, time.Minute, "watch", cell)
	p.stroke(box, .1, .1, .3, .1)
	for end := time.Now().Add(20 * time.Second); js[int](p, time.Minute, "watched",
		cell) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("cell %d: no figure in the 20 s after a stroke", cell+1)
		}
	}
	p.stroke(box, .1, .2, .3, .2)
	second := js[float64](p, time.Minute, "now", cell)
	js[any](p, 2*time.Minute, "settled", cell)
	figures := js[[]shown](p, time.Minute, "seen", cell)
	p.shot("painted")

	if after := js[int](p, time.Minute, "cellsPainted", cell); after == before {
		p.t.Errorf("cell %d: %d cells are painted, as before the strokes", cell+1, after)
	}
	last, steps := figures[len(figures)-1], 0
	for _, f := range figures {
		if f.MS > second && !strings.Contains(f.Text, want) {
			steps++
		}
	}
	p.t.Logf("cell %d: first figure %.0f ms after a stroke; after the second stroke %d figures on the way, and the "+
		"last after %.1f s",
		cell+1, figures[0].MS, steps, (last.MS-second)/1000)
	if steps < 3 || !strings.Contains(last.Text, want) {
		p.t.Errorf("cell %d: %d figures on the way, at least 3 expected; the last one says %q, want %q", cell+1, steps,
			last.Text, want)
	}
	js[any](p, time.Minute, "done", cell)
}

// stroke drags the pointer from one place of a box to another, given as shares of its sides.
func (p page) stroke(box rectangle, fromX, fromY, toX, toY float64) {
	p.t.Helper()
	const moves = 10
	x, y := box.Left+fromX*box.Width, box.Top+fromY*box.Height
	do(p, time.Minute, chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft))
	for i := 1; i <= moves; i++ {
		share := float64(i) / moves
		x, y = box.Left+(fromX+(toX-fromX)*share)*box.Width, box.Top+(fromY+(toY-fromY)*share)*box.Height
		do(p, time.Minute, chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft))
	}
	do(p, time.Minute, chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft))
}
