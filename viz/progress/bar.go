package progress

import (
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/internal/speak"
)

func init() {
	if gonbui.IsNotebook {
		speak.Open = func(label, value string) speak.Bar {
			b := &bar{label: label, value: value, now: time.Now, draw: display(), end: make(chan struct{})}
			b.began = b.now()
			b.gone.Go(b.run)
			return b
		}
	}
}

const (
	patience = 250 * time.Millisecond // work that takes less shows no bar
	tick     = 250 * time.Millisecond // between two drawings of the bar
	// the bar of shorter work disappears at its end: twenty such lines would bury the figure below them
	short = 3 * time.Second
)

// bar is a [speak.Bar] in a cell.
type bar struct {
	label, value string
	now          func() time.Time
	draw         func(s, below string, share float64, done bool)
	began        time.Time
	end          chan struct{}
	gone         sync.WaitGroup

	mu    sync.Mutex
	count count
	said  string
	plan  string
	shown string // the last text
}

func (b *bar) Step(done, total int, v float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count.add(done, total, v, b.now()); done > b.count.first {
		b.said = ""
	}
}

func (b *bar) Plan(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plan = text
}

func (b *bar) Say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = text
}

// run draws the bar four times a second if it has changed.
func (b *bar) run() {
	for wait := patience; ; wait = tick {
		select {
		case <-b.end:
			return
		case <-time.After(wait):
			b.show(false)
		}
	}
}

// show draws the bar, unless its text is unchanged.
func (b *bar) show(over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, below := b.text(over), b.plan
	if over {
		below = ""
	}
	if all := text + below; all != b.shown {
		b.shown = all
		b.draw(prefix(b.label)+text, below, b.count.share(), over)
	}
}

func (b *bar) text(over bool) string {
	now, c := b.now(), &b.count
	switch {
	case over && !c.done():
		return fmt.Sprintf("stopped at %d of %d after %s", c.step, c.total, brief(now.Sub(b.began)))
	case b.said != "" && !over:
		return fmt.Sprintf("%s, %.0f s", b.said, now.Sub(b.began).Seconds())
	case c.start.IsZero():
		return fmt.Sprintf("preparing, %.0f s", now.Sub(b.began).Seconds())
	}
	return c.text(b.value)
}

// End leaves the last state of the bar, if the bar was shown. Short work that was completed leaves nothing, and so does
// work of which no step was counted.
func (b *bar) End() {
	close(b.end)
	b.gone.Wait()
	b.mu.Lock()
	shown := b.shown != ""
	counted, done := !b.count.start.IsZero(), b.count.done()
	b.mu.Unlock()
	switch {
	case shown && (!counted || done && b.now().Sub(b.began) < short):
		b.draw("", "", 0, true)
	case shown:
		b.show(true)
	}
}

// display returns a function that draws a bar. All its calls draw in the same output of the cell.
func display() func(s, below string, share float64, done bool) {
	id := "progress-" + gonbui.UniqueId()
	return func(s, below string, share float64, done bool) {
		text := s
		if below != "" {
			text += "\n" + below
		}
		gonbui.SendData(&protocol.DisplayData{DisplayID: id, Data: map[protocol.MIMEType]any{
			protocol.MIMETextHTML: page(s, below, share), protocol.MIMETextPlain: text}})
		if done {
			gonbui.Sync() // GoNB drops what it has not read when the cell's program ends
		}
	}
}

// plain is the classes of elements whose text is no mathematics. In other elements, notebooks set the text between two
// dollar signs as a formula.
const plain = "mathjax_ignore tex2jax_ignore"

// page returns the bar as HTML for a notebook, or "" if s is empty.
func page(s, below string, share float64) string {
	if s == "" {
		return ""
	}
	text := html.EscapeString(s)
	if below != "" {
		text += `<div style="opacity:.7">` + html.EscapeString(below) + `</div>`
	}
	return fmt.Sprintf(`<div class="`+plain+`" style="font-size:13px;max-width:800px"><div style="height:6px;border:1px solid #888;border-radius:3px">`+
		`<div style="height:100%%;width:%.1f%%;background:#0072b2"></div></div>%s</div>`, 100*min(max(share, 0), 1),
		text)
}
