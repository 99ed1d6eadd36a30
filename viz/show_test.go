package viz

import (
	"bytes"
	"encoding/gob"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/internal/must"
)

// TestNotebook plays the kernel: it reads what figures send through GoNB's
// pipes. The pipes are opened once in a process, hence one test for all.
func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	to, back := filepath.Join(dir, "to"), filepath.Join(dir, "back")
	for _, p := range []string{to, back} {
		if err := must.Fifo(p); err != nil {
			t.Skip("no named pipes here:", err)
		}
	}
	t.Setenv(protocol.GONB_PIPE_ENV, to)
	t.Setenv(protocol.GONB_PIPE_BACK_ENV, back)
	gonbui.IsNotebook = true
	t.Cleanup(func() { gonbui.IsNotebook = false })
	got := make(chan protocol.DisplayData, 100)
	go func() {
		r, err := os.Open(to)
		if err != nil {
			return
		}
		defer r.Close()
		w, err := os.OpenFile(back, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer w.Close()
		dec, enc := gob.NewDecoder(r), gob.NewEncoder(w)
		for {
			var d protocol.DisplayData
			if dec.Decode(&d) != nil {
				return
			}
			if sync, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
				// GoNB's answer to gonbui.Sync, for which Show waits.
				if enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: sync.Value}) != nil {
					return
				}
				continue
			}
			got <- d
		}
	}()
	next := func(t *testing.T) protocol.DisplayData {
		t.Helper()
		select {
		case d := <-got:
			return d
		case <-time.After(10 * time.Second): // far above the milliseconds it takes
			t.Fatal("nothing arrived at the kernel")
		}
		panic("unreachable")
	}
	fig := Lines{Lines: []Line{{Name: "a", Y: []float64{1, 2}}}}

	t.Run("one display holds html, png and text", func(t *testing.T) {
		must.Do(t, Display(fig))
		d := next(t)
		if html := d.Data[protocol.MIMETextHTML].(string); !strings.Contains(html, "data:image/svg+xml;base64,") ||
			!strings.Contains(html, "<script>") || !strings.Contains(html, ` data-uses="echarts" `) {
			t.Errorf("html lacks the image, the script or the attribute by which pages know that it uses ECharts")
		}
		must.Be(t, bytes.HasPrefix(d.Data[protocol.MIMEImagePNG].([]byte), []byte("\x89PNG")), "no PNG in the bundle")
		must.Equal(t, d.Data[protocol.MIMETextPlain].(string), "[lines: a]\n", "text")
	})
	t.Run("a table has no picture", func(t *testing.T) {
		must.Do(t, Display(Table{Columns: []Column{{Name: "n"}}, Rows: [][]any{{1}}}))
		must.Equal(t, len(next(t).Data), 2, "forms")
	})
	t.Run("an error shows nothing and panics in Show", func(t *testing.T) {
		must.Err(t, Display(fig, Lines{}))
		func() {
			defer func() { must.Be(t, recover() != nil, "Show of an empty figure does not panic") }()
			Show(Lines{})
		}()
		must.Be(t, len(got) == 0, "something was displayed")
	})
	t.Run("live curve", func(t *testing.T) {
		clock := time.Unix(100, 0)
		c := &liveCurve{style: Curve{LogY: true}, now: func() time.Time { return clock }}
		var steps, train, heldOut []float64
		for step := 1; step <= 40; step++ {
			loss := 1 / float64(step)
			if step == 7 {
				loss = math.NaN() // must not stop the drawing of the others
			}
			steps, train, heldOut = append(steps, float64(step)), append(train, loss), append(heldOut, 2*loss)
			c.draw(40, steps, train, heldOut)
			clock = clock.Add(100 * time.Millisecond)
		}
		// Steps 2, 12, 22, 32 at one a second, and the last.
		var ids []string
		var last protocol.DisplayData
		for range 5 {
			last = next(t)
			ids = append(ids, last.DisplayID)
		}
		must.Be(t, len(got) == 0, "%d displays more than one a second", len(got))
		for _, id := range ids {
			must.Be(t, id != "" && id == ids[0], "displays %v, want one that is updated", ids)
		}
		must.Equal(t, len(last.Data), 3, "the last figure", "forms")
	})
}
