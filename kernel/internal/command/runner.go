package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

const (
	// raisesExceptionTag marks a cell that may fail, as Jupyter's own tools understand it.
	raisesExceptionTag = "raises-exception"
	// interruptGrace is how long a cell may go on after an interrupt. GoNB kills a program that ignores it after 5 s.
	interruptGrace = 7 * time.Second
	// lateGrace is the time to wait for displays, which travel on another path than the end of a cell and may come
	// after it.
	lateGrace = 100 * time.Millisecond
)

// runner executes notebooks, each on a kernel of its own.
type runner struct {
	spec    jupyter.Spec
	timeout time.Duration
	out     *progress
}

// cellError is the failure of one cell.
type cellError struct {
	index int // from 1, all types of cells counted
	cell  *ipynb.Cell
	err   error
}

func (e *cellError) Error() string {
	return fmt.Sprintf("cell %d (id %s, %q): %v", e.index, e.cell.ID, e.cell.FirstLine(), e.err)
}

func (e *cellError) Unwrap() error { return e.err }

// execute runs the code cells in order and replaces their outputs, until a cell fails. The cells behind that one keep
// the outputs that they had. execute changes only the document in memory; ran reports whether it ran a cell.
func (r *runner) execute(ctx context.Context, name string, nb *ipynb.Notebook) (ran bool, err error) {
	r.out.start(name, len(nb.Cells))
	begin := time.Now()
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	kernel, err := jupyter.Start(starting, r.spec)
	cancel()
	if err != nil {
		return false, err
	}
	rec := newRecording(kernel.TempDir())
	for i, cell := range nb.Cells {
		if cell.Type != ipynb.Code {
			continue
		}
		cell.Outputs, cell.ExecutionCount = nil, nil
		delete(cell.Metadata, "execution") // JupyterLab's record of times
		if strings.TrimSpace(cell.Source) == "" {
			continue
		}
		ran = true
		r.out.begin(i+1, cell.FirstLine())
		err = r.cell(ctx, kernel, rec, cell, i+1)
		r.out.end(err == nil)
		if err != nil {
			err = &cellError{index: i + 1, cell: cell, err: kernel.Explain(err)}
			break
		}
	}
	time.Sleep(lateGrace)
	kernel.Stop()
	if errLate := rec.finish(); err == nil {
		err = errLate
	}
	if err == nil {
		r.out.done(time.Since(begin))
	}
	return ran, err
}

// cell runs one cell. When time is up or ctx ends, the cell is interrupted, which lets a program save its work.
func (r *runner) cell(ctx context.Context, kernel *jupyter.Kernel, rec *recording, cell *ipynb.Cell, number int) error {
	type result struct {
		reply jupyter.ExecuteReply
		err   error
	}
	finished := make(chan result, 1)
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go func() {
		request := jupyter.Request{Code: cell.Source, StoreHistory: true, StopOnError: true}
		reply, err := kernel.ExecuteRequest(life, request, front.Metadata{CellID: cell.ID, Number: number},
			func(m jupyter.Message) { rec.record(cell, m) })
		finished <- result{reply, err}
	}()
	count := func(res result) {
		if n := res.reply.ExecutionCount; n > 0 {
			cell.ExecutionCount = &n
		}
	}
	var why error
	limit := time.NewTimer(r.timeout)
	defer limit.Stop()
	select {
	case res := <-finished:
		if res.err != nil {
			return res.err
		}
		count(res)
		err := res.reply.Err()
		if err == nil || cell.HasTag(raisesExceptionTag) {
			return nil
		}
		return errors.New(rec.volatile.ReplaceAllString(describe(err, rec.outputs(cell)), ""))
	case <-limit.C:
		why = fmt.Errorf("took longer than %v: raise it with -timeout", r.timeout)
	case <-ctx.Done():
		why = errors.New("stopped by a signal")
	}
	grace, cancel := context.WithTimeout(life, interruptGrace)
	defer cancel()
	if kernel.Interrupt(grace) == nil {
		select {
		case res := <-finished:
			count(res)
			if res.reply.EName == front.Interrupted { // the value says what was kept and how to go on
				why = fmt.Errorf("%w; %s", why, res.reply.EValue)
			}
		case <-grace.Done():
		}
	}
	return why
}

// recording is a recorder that two goroutines may use: the one that runs cells and the one that receives.
type recording struct {
	mu sync.Mutex
	*ipynb.Recorder
	// matches GoNB's folder and package, which differ from run to run, as stack traces and compilers name them
	volatile *regexp.Regexp
	err      error
}

func newRecording(tempDir string) *recording {
	return &recording{
		Recorder: ipynb.NewRecorder(),
		volatile: regexp.MustCompile(regexp.QuoteMeta(tempDir) +
			`(?:/expfam-front-[0-9]+)?/gonb_[0-9a-f]+/?|# gonb_[0-9a-f]+(?:\\n|\n)`),
	}
}

func (r *recording) record(cell *ipynb.Cell, m jupyter.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	content := r.volatile.ReplaceAll(m.Content, nil)
	r.err = errors.Join(r.err, r.Record(cell, m.Header.Type, content))
}

func (r *recording) outputs(cell *ipynb.Cell) []*ipynb.Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Flush()
	return append([]*ipynb.Output(nil), cell.Outputs...)
}

func (r *recording) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Flush()
	return r.err
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// describe returns a cell's error with the end of what the cell wrote to standard error, where a program says why it
// failed.
func describe(err error, outputs []*ipynb.Output) string {
	const most = 30
	var b strings.Builder
	for _, out := range outputs {
		if out.Type == ipynb.Stream && out.Name == "stderr" {
			b.WriteString(out.Text)
		}
	}
	text := strings.TrimSpace(ansi.ReplaceAllString(b.String(), ""))
	if text == "" {
		return err.Error()
	}
	lines := strings.Split(text, "\n")
	return err.Error() + "\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")
}
