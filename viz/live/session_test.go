package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// sheet is a figure whose picture is a text.
type sheet string

func (s sheet) Encode(f viz.Format) ([]byte, error) {
	switch f {
	case viz.SVG, viz.Phone, viz.HTML, viz.Text:
		return []byte(string(f) + ":" + string(s)), nil
	}
	return nil, errors.New("no such form")
}

// lossy is a wire between a session and a front end that behaves as the one in
// the browser does. It loses, doubles and delays messages in both directions.
type lossy struct {
	lose float64 // share of messages
	late time.Duration
	wide int // px of the figure's place

	mu     sync.Mutex
	rng    *rand.Rand
	f      func(string)
	pages  []map[protocol.MIMEType]any
	last   state  // newest that arrived
	figure string // of version
	seen   int    // its version
	acked  int
	over   bool
}

func (w *lossy) show(page map[protocol.MIMEType]any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages = append(w.pages, page)
	return nil
}

func (w *lossy) listen(f func(string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f = f
}

// carry delivers something a number of times, each after its own delay.
func (w *lossy) carry(deliver func()) {
	w.mu.Lock()
	times := 1
	if w.rng.Float64() < w.lose {
		times = 2 * w.rng.IntN(2) // lost or doubled
	}
	for range times {
		delay := time.Duration(w.rng.Float64() * float64(w.late))
		time.AfterFunc(delay, deliver)
	}
	w.mu.Unlock()
}

func (w *lossy) send(text, figure string) {
	w.carry(func() {
		var s state
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.acked = max(w.acked, s.Ack)
		w.over = w.over || s.Over
		if figure != "" && s.Version > w.seen {
			w.seen, w.figure = s.Version, figure
		}
		if s.Drawn >= w.last.Drawn {
			w.last = s
		}
	})
}

// say sends a request to the session.
func (w *lossy) say(r request) {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	w.mu.Lock()
	f := w.f
	w.mu.Unlock()
	if f != nil {
		w.carry(func() { f(string(text)) })
	}
}

// front moves the controls and repeats itself until the program is done.
func (w *lossy) front(moves [][]any, pause func()) (ok bool) {
	speak := func(seq int, end string) {
		w.mu.Lock()
		r := request{Version: w.seen, End: end, Hover: seq%2 == 0, Width: w.wide}
		if seq > w.acked {
			r.Seq, r.Values = seq, moves[seq-1]
		}
		w.mu.Unlock()
		w.say(r)
	}
	for i := range moves {
		speak(i+1, "")
		pause()
	}
	until := func(done func() bool, end string) bool {
		for begin := time.Now(); time.Since(begin) < time.Minute; { // far above the milliseconds it takes
			w.mu.Lock()
			ok := done()
			w.mu.Unlock()
			if ok {
				return true
			}
			speak(len(moves), end)
			time.Sleep(time.Millisecond)
		}
		return false
	}
	drawn := until(func() bool { return w.last.Drawn == len(moves) && w.seen >= w.last.Version }, "")
	return until(func() bool { return w.over }, "done") && drawn
}

// quick are times for tests, in which a message takes less than a millisecond.
var quick = patience{connect: 5 * time.Second, silence: 5 * time.Second, settle: 3 * time.Millisecond,
	answer: time.Millisecond,
	resend: 2 * time.Millisecond, quick: time.Microsecond, frames: time.Second, hurry: time.Second,
	farewell: 4 * time.Millisecond}

// TestLastValueWins moves a slider fast, a thousand times over, on wires that lose, double and overtake: the last
// figure has to be that of the last value, in the front end and in the notebook.
func TestLastValueWins(t *testing.T) {
	const runs = 200
	var wg sync.WaitGroup
	limit := make(chan bool, 16)
	for run := range runs {
		wg.Add(1)
		limit <- true
		go func() {
			defer func() { <-limit; wg.Done() }()
			rng := rand.New(rand.NewPCG(1, uint64(run)))
			w := &lossy{lose: 0.6 * rng.Float64(), late: time.Duration(rng.IntN(3000)) * time.Microsecond, rng: rng,
				wide: []int{0, 390, 1280}[run%3]}
			slider := &Slider{Label: "a", Min: 0, Max: 1000, Frames: -1}
			draws := 0
			panel := Panel{Controls: []Control{slider}, Draw: func() (viz.Figure, error) {
				draws++
				if draws%3 == 0 {
					time.Sleep(time.Millisecond)
				}
				return sheet(fmt.Sprint(slider.Value)), nil
			}}
			if run%2 == 1 { // the same in steps
				draw := panel.Draw
				panel.Draw, panel.Steps = nil, func(ctx context.Context, show func(viz.Figure)) (viz.Figure, error) {
					show(sheet("quick"))
					fig, err := draw()
					return fig, errors.Join(err, ctx.Err())
				}
			}
			s := &session{Panel: panel, wire: w, patience: quick, id: "live-test"}
			var moves [][]any
			pauses := rand.New(rand.NewPCG(2, uint64(run)))
			for range 1 + pauses.IntN(30) {
				moves = append(moves, []any{float64(1 + pauses.IntN(1000))})
			}
			want := fmt.Sprint(moves[len(moves)-1][0])
			ended := make(chan error)
			go func() { ended <- s.run(picture{fig: sheet("0"), svg: "svg:0"}, make(chan struct{})) }()
			ok := w.front(moves, func() { time.Sleep(time.Duration(pauses.IntN(300)) * time.Microsecond) })
			if err := <-ended; err != nil || !ok {
				t.Errorf("run %d: error %v, finished %v", run, err, ok)
				return
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			form, figure, _ := strings.Cut(w.figure, ":")
			must.Be(t, form == "html" || (form == "phone.svg") == (run%3 == 1), "run %d: %s", run, form)
			page := w.pages[len(w.pages)-1]
			must.Be(t, figure == want && page[protocol.MIMETextPlain] == "a = "+want+"\ntxt:"+want &&
				slider.Value == moves[len(moves)-1][0],
				"run %d: front end shows %q, notebook %q, want %s", run, w.figure, page[protocol.MIMETextPlain], want)
			must.Equal(t, len(w.pages), 2, "run", run, "displays")
		}()
	}
	wg.Wait()
}
