package front

import (
	"encoding/json"
	"time"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// showing is one execution of a notebook's cell with what it has shown, for a page that was closed in the meantime:
// Jupyter's server gives what comes while no page is open to nobody.
type showing struct {
	id       string // of the request
	cell     *ipynb.Cell
	recorder *ipynb.Recorder
	count    int
	bytes    int
	ended    time.Time // zero while the cell runs
}

// What is kept of past executions, the newest first.
const (
	mostShowings     = 50
	mostShowingBytes = 16 << 20
)

// begin notes that a cell runs. The caller holds the lock.
func (f *front) begin(r request, id string, count int) {
	if id == "" {
		return
	}
	f.shown = append(f.shown, &showing{id: r.Header.ID, cell: &ipynb.Cell{ID: id, Type: ipynb.Code},
		recorder: ipynb.NewRecorder(), count: count})
	for bytes, i := 0, len(f.shown)-1; i >= 0; i-- {
		bytes += f.shown[i].bytes
		if i < len(f.shown)-1 && (bytes > mostShowingBytes || i < len(f.shown)-mostShowings) {
			f.shown = f.shown[i+1:]
			break
		}
	}
}

// record keeps what is published because of the cell that runs.
func (f *front) record(r request, msgType string, content any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.latest(r)
	if s == nil || s.bytes > mostShowingBytes || msgType == "status" || msgType == "execute_input" {
		return
	}
	body, err := json.Marshal(content)
	if err != nil {
		return
	}
	s.bytes += len(body)
	s.recorder.Record(s.cell, msgType, body)
}

// over notes that a cell has ended.
func (f *front) over(r request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.latest(r); s != nil {
		s.ended = time.Now()
	}
}

// latest is the showing of a request, if its cell is the last that ran; else nil. The caller holds the lock.
func (f *front) latest(r request) *showing {
	if n := len(f.shown); n > 0 && f.shown[n-1].id == r.Header.ID {
		return f.shown[n-1]
	}
	return nil
}

// outputs answers the front end that asks, for a page that has just been opened, what cells have shown.
func (f *front) outputs(jupyter.Message) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []map[string]any{}
	for _, s := range f.shown {
		s.recorder.Flush()
		outputs, err := s.cell.OutputsJSON()
		if err != nil {
			continue
		}
		one := map[string]any{"id": s.id, "cell": s.cell.ID, "count": s.count, "outputs": outputs}
		if !s.ended.IsZero() {
			one["ended"] = s.ended.UTC().Format(time.RFC3339Nano)
		}
		all = append(all, one)
	}
	return map[string]any{"status": "ok", "executions": all}
}
