package front

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

const (
	// ProgramPrefix begins a line that has GoNB run the program in a file, which is its source if the name ends in .go.
	// GoNB is patched for this.
	ProgramPrefix = "//expfam:program "
	// BuiltType is the type of the message by which GoNB, with the same patch, says that the program is built.
	BuiltType = "expfam_built"
	// EndedType is the type of the message by which GoNB says which processes it has ended, because they held the
	// output of a program that had ended.
	EndedType = "expfam_ended"
)

// Metadata is what front ends say about the cell of an execute_request.
type Metadata struct {
	CellID string `json:"cellId"`
	// number of the cell in the notebook; 0 means the number of the execution
	Number int `json:"expfamCell,omitempty"`
}

// execution is one cell that runs.
type execution struct {
	*front
	request
	number int // number of the cell in what people read
	count  int // number of the execution
	start  time.Time
	built  time.Time // when its program was built; zero if there is none
	ended  time.Time
	stderr held
	exit   string // GoNB's words on how the program ended
	shown  bool   // the front end shows a notebook: its cells have ids, and something can stand below them
}

// execute runs the cell of a request and replies to it.
func (f *front) execute(ctx context.Context, r request) {
	content := decode[jupyter.Request](r.Message)
	var meta Metadata
	json.Unmarshal(r.Metadata, &meta)
	f.status(r, "busy")
	defer f.status(r, "idle")
	f.mu.Lock()
	if !content.Silent && content.StoreHistory {
		f.count++
		f.inputs = append(f.inputs, content.Code)
	}
	count, start := f.count, time.Now()
	if f.early.of(r.Message) {
		f.interrupt = time.Now().Add(time.Nanosecond)
	}
	f.running, f.early = &r, nil
	if !content.Silent {
		f.begin(r, meta.CellID, count)
	}
	f.mu.Unlock()
	if !content.Silent {
		f.publish(r, "execute_input", map[string]any{"code": content.Code, "execution_count": count})
	}
	x := &execution{front: f, request: r, number: count, start: start, shown: meta.CellID != ""}
	if meta.Number > 0 {
		x.number = meta.Number
	}
	x.count = count
	why := x.run(ctx, content, meta.CellID)
	if gone := f.gonb.gone(); why != nil && gone != "" {
		text := "the folder " + gone + " of this kernel is gone, as when /tmp is cleaned: restart the kernel"
		why = &fault{Name: "no folder", Value: text, Traceback: []string{red(text)}}
	}
	f.mu.Lock()
	f.running = nil
	f.unasked()
	f.mu.Unlock()
	defer f.over(r)
	if why == nil {
		f.reply(r, map[string]any{"status": "ok", "execution_count": count, "payload": []any{},
			"user_expressions": map[string]any{}}, x.times())
		return
	}
	if !x.shown && why.trace != "" { // a console: nothing can be folded there
		why.Traceback, why.trace = append(why.Traceback, why.trace), ""
	}
	if !why.quiet {
		f.publish(r, "error", why)
		if why.trace != "" {
			f.publish(r, "display_data", fold(why.trace))
		}
	}
	f.reply(r, map[string]any{"status": "error", "execution_count": count, "ename": why.Name, "evalue": why.Value,
		"traceback": why.Traceback}, x.times())
	if content.StopOnError {
		f.abort()
	}
}

// abort refuses the cells in the queue, which were requested before a cell failed.
func (f *front) abort() {
	time.Sleep(20 * time.Millisecond) // a front end that runs all cells sends them at once
	for range len(f.queue) {
		r := <-f.queue
		if r.Header.Type != "execute_request" {
			f.queue <- r
			continue
		}
		f.answer(r, map[string]any{"status": "aborted"})
	}
}

// run translates a cell, runs it and returns what is wrong with it; nil if nothing is.
func (x *execution) run(ctx context.Context, content jupyter.Request, id string) *fault {
	if strings.TrimSpace(content.Code) == "" {
		return nil
	}
	if f := x.await(); f != nil {
		return f
	}
	if f := x.ask(ctx, cell.Asked(content.Code)); f != nil {
		return f
	}
	c := cell.Cell{ID: id, Number: x.number, Source: content.Code}
	x.sessions.Lock()
	x.session.Input = content.AllowStdin
	x.sessions.Unlock()
	if x.packages.stale() {
		x.packages.load() // what is wrong with the library, the cells that import it say
	}
	program, err := x.translate(c)
	var problems cell.Problems
	if errors.As(err, &problems) {
		return describe(problems)
	}
	if err != nil {
		return failed(err)
	}
	for _, note := range program.Notes {
		x.say(note)
	}
	if program.Source != "" {
		x.doing("compiling")
	}
	code, err := x.codeFor(ctx, program)
	if err != nil {
		return failed(err)
	}
	if code == "" {
		return nil
	}
	content.Code = code
	if x.interrupted() {
		return x.stopped("", program)
	}
	if program.Source != "" {
		content.AllowStdin = false // the program asks this kernel, not GoNB
	}
	os.Remove(x.session.Result)
	reply, err := x.gonb.ExecuteRequest(ctx, content, nil, x.output)
	x.ended = time.Now()
	if err != nil {
		return failed(err)
	}
	x.slow(program)
	x.result()
	return x.verdict(reply, program)
}

// codeFor returns what GoNB executes for a program: its commands, and a line that runs the program. This line names
// what codeFor has built, or a file with the source if the go command is to build it. A raw program is executed as it
// is.
func (x *execution) codeFor(ctx context.Context, program *cell.Program) (string, error) {
	if setsBuild.MatchString(program.Raw + "\n" + strings.Join(program.Commands, "\n")) {
		x.front.setsBuild = true
	}
	if program.Raw != "" {
		return program.Raw, nil
	}
	lines := program.Commands
	if program.Source != "" {
		path := ""
		if len(lines) == 0 && !x.front.setsBuild { // commands may change what is built
			path = x.build(ctx, program.Source)
		}
		if path == "" {
			path = filepath.Join(x.gonb.dir, "program.go")
			if err := os.WriteFile(path, []byte(program.Source), 0o600); err != nil {
				return "", err
			}
		}
		lines = append(lines, ProgramPrefix+path)
	}
	return strings.Join(lines, "\n"), nil
}

// setsBuild matches commands that change how the go command builds programs.
var setsBuild = regexp.MustCompile(`(?m)^%(goflags|env GO)`)

// translate makes a program of a cell and adds the cell's definitions to the session.
func (f *front) translate(c cell.Cell) (*cell.Program, error) {
	f.sessions.Lock()
	defer f.sessions.Unlock()
	program, err := f.session.Translate(c)
	if err == nil {
		f.session.Commit(program)
	}
	return program, err
}
