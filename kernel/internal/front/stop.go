package front

import (
	"context"
	"time"

	"github.com/expfam/lab/kernel/internal/jupyter"
)

// early is an interrupt that found no cell. It and the request of its cell come on different sockets, so that it may
// overtake this.
type early struct{ sent, came time.Time }

// overtaken is how much later than an interrupt the request of its cell may come.
const overtaken = time.Second

// of reports whether the interrupt was meant for a cell: the request of the cell was sent before it.
func (e *early) of(m jupyter.Message) bool {
	return e != nil && !m.Header.Sent().After(e.sent) && time.Since(e.came) < overtaken
}

// stopCell interrupts the cell that runs, by an interrupt that was sent at a time.
func (f *front) stopCell(sent time.Time) {
	f.mu.Lock()
	f.interrupt = time.Now()
	if f.running == nil {
		f.early = &early{sent, f.interrupt}
	}
	f.mu.Unlock()
	if f.gonb == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	f.gonb.Interrupt(ctx)
}

// stream is the content of a message with text.
type stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func streamOf(m jupyter.Message) stream {
	if m.Header.Type != "stream" {
		return stream{}
	}
	return decode[stream](m)
}
