package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/jupyter"
)

const (
	// ProgramPrefix tells GoNB, with a patch of ours, to run the program of a file.
	ProgramPrefix = "//expfam:program "
	// BuiltType is the message by which GoNB says that the program is built, from the same patch.
	BuiltType = "expfam_built"
)

// Metadata is what front ends say about the cell of an execute_request.
type Metadata struct {
	CellID string `json:"cellId"`
	Number int    `json:"expfamCell,omitempty"` // in the notebook; the execution's if it is 0
}

// slowCell is how long a cell may take until it is said that its values cannot be kept.
const slowCell = 5 * time.Second

// fault is why a cell failed, in the form of an execute_reply.
type fault struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	quiet     bool     // said already
	trace     string   // Go's, to be shown folded; "" for none
}

// execution is one cell that runs.
type execution struct {
	*front
	request
	number int // of the cell, as people know it
	count  int // of the execution
	start  time.Time
	built  time.Time // when its program was built; zero if there is none
	ended  time.Time
	stderr held
	exit   string // GoNB's words on how the program ended
	shown  bool   // the front end has a notebook, where a cell has an id and something can stand below it
}

// execute runs a cell.
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
	count := f.count
	f.running = &r
	f.mu.Unlock()
	if !content.Silent {
		f.publish(r, "execute_input", map[string]any{"code": content.Code, "execution_count": count})
	}
	x := &execution{front: f, request: r, number: count, start: time.Now(), shown: meta.CellID != ""}
	if meta.Number > 0 {
		x.number = meta.Number
	}
	x.count = count
	why := x.run(ctx, content, meta.CellID)
	f.mu.Lock()
	f.running = nil
	f.mu.Unlock()
	if why == nil {
		f.reply(r, map[string]any{"status": "ok", "execution_count": count, "payload": []any{}, "user_expressions": map[string]any{}}, x.times())
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
	f.reply(r, map[string]any{"status": "error", "execution_count": count, "ename": why.Name, "evalue": why.Value, "traceback": why.Traceback}, x.times())
	if content.StopOnError {
		f.abort()
	}
}

// abort refuses the cells that were asked for before this one failed.
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

// run translates a cell, runs it and returns what is wrong with it.
func (x *execution) run(ctx context.Context, content jupyter.Request, id string) *fault {
	if strings.TrimSpace(content.Code) == "" {
		return nil
	}
	<-x.ready
	x.ask(cell.Asked(content.Code))
	c := cell.Cell{ID: id, Number: x.number, Source: content.Code}
	program, err := x.translate(c)
	if err != nil && x.packages.stale() && x.packages.load() == nil {
		program, err = x.translate(c)
	}
	var problems cell.Problems
	if errors.As(err, &problems) {
		return describe(problems)
	}
	if err != nil {
		return &fault{Name: "error", Value: err.Error(), Traceback: []string{red(err.Error())}}
	}
	for _, note := range program.Notes {
		x.say(note)
	}
	code := program.Raw
	if code == "" {
		lines := program.Commands
		if program.Source != "" {
			path := filepath.Join(x.gonb.dir, "program.go")
			if err := os.WriteFile(path, []byte(program.Source), 0o600); err != nil {
				return &fault{Name: "error", Value: err.Error(), Traceback: []string{red(err.Error())}}
			}
			lines = append(lines, ProgramPrefix+path)
		}
		code = strings.Join(lines, "\n")
	}
	if code == "" {
		return nil
	}
	content.Code = code
	if x.interrupted() {
		return x.stopped("", program)
	}
	os.Remove(x.session.Result)
	if program.Source != "" {
		x.doing("compiling")
	}
	reply, err := x.gonb.ExecuteRequest(ctx, content, nil, x.output)
	x.ended = time.Now()
	if err != nil {
		return &fault{Name: "error", Value: err.Error(), Traceback: []string{red(err.Error())}}
	}
	if slow := x.ended.Sub(x.built); slow > slowCell && !x.front.told && len(program.Again) > 0 && reply.Status == "ok" {
		x.front.told = true
		x.say(fmt.Sprintf("%s cannot be kept for other cells, which will compute it again, as this one did in %.0f s: make it of numbers, texts, slices, maps or structs of exported fields, or write it to a file",
			strings.Join(program.Again, ", "), slow.Seconds()))
	}
	x.result()
	return x.verdict(reply, program)
}

// result shows the value at the end of the cell.
func (x *execution) result() {
	text, err := os.ReadFile(x.session.Result)
	if err != nil {
		return
	}
	if over := len(text) - mostResult; over > 0 {
		text = fmt.Appendf(text[:mostResult], " … %d bytes left out", over)
	}
	x.publish(x.request, "execute_result", map[string]any{"execution_count": x.count, "metadata": map[string]any{},
		"data": map[string]string{"text/plain": string(text)}})
}

// mostResult is how many bytes of a value a notebook shows.
const mostResult = 100_000

// translate makes a program of a cell and keeps what it defines.
func (f *front) translate(c cell.Cell) (*cell.Program, error) {
	f.sessions.Lock()
	defer f.sessions.Unlock()
	program, err := f.session.Translate(c)
	if err == nil {
		f.session.Commit(program)
	}
	return program, err
}

// ask does what commands want of the session.
func (x *execution) ask(commands []string) {
	x.sessions.Lock()
	defer x.sessions.Unlock()
	for _, command := range commands {
		words := strings.Fields(command)
		switch words[0] {
		case "ls", "list":
			x.print(x.session.List())
		case "rm", "remove":
			x.print("removed: " + strings.Join(x.session.Remove(words[1:]), ", ") + "\n")
		case "reset":
			x.session.Reset()
		}
	}
}

// output passes on what GoNB publishes because of the cell.
func (x *execution) output(m jupyter.Message) {
	switch m.Header.Type {
	case "execute_input":
		if x.interrupted() { // before GoNB began to listen
			time.AfterFunc(interruptAgain, x.stopCell)
		}
		return
	case "error":
		return // this kernel's own is
	case BuiltType:
		x.built = time.Now()
		x.doing("running")
		return
	case "stream":
		if s := streamOf(m); s.Name == "stderr" {
			if exitWords.MatchString(s.Text) {
				x.exit = s.Text
				return
			}
			if text := x.stderr.add(s.Text); text != "" {
				x.publish(x.request, "stream", stream{"stderr", text})
			}
			return
		}
	}
	x.host.Publish(x.Message, m.Header.Type, m.Content)
}

// interruptAgain is when an interrupt is repeated that came between this process and GoNB.
const interruptAgain = 100 * time.Millisecond

// interrupted tells whether somebody has interrupted the cell.
func (x *execution) interrupted() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.interrupt.After(x.start)
}

// times are how long the cell took to build and to run, in seconds, for front ends that show it.
func (x *execution) times() map[string]any {
	if x.built.IsZero() {
		return map[string]any{}
	}
	return map[string]any{"expfam": map[string]float64{"built": x.built.Sub(x.start).Seconds(), "ran": x.ended.Sub(x.built).Seconds()}}
}

// doing tells front ends that show it what goes on: the state of the kernel, with a word more. Others may hold the first
// state after busy for the last, as jupyter_kernel_test does.
func (x *execution) doing(what string) {
	if !x.shown {
		return
	}
	x.publish(x.request, "status", map[string]any{"execution_state": "busy", "expfam": what})
}

func (x *execution) print(text string) { x.publish(x.request, "stream", stream{"stdout", text}) }

// say prints a line of the kernel's own, in grey.
func (x *execution) say(text string) { x.print("\x1b[38;5;244m" + text + "\x1b[0m\n") }

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }

// describe is the fault of a cell that does not compile.
func describe(problems cell.Problems) *fault {
	f := &fault{Name: "compile error", Value: problems.Error()}
	for _, p := range problems {
		lines := []string{red(p.Text)}
		if p.Line > 0 {
			lines[0] = fmt.Sprintf("cell %d, line %d: %s", p.Cell, p.Line, lines[0])
			mark := strings.Map(func(r rune) rune {
				if r == '\t' {
					return r
				}
				return ' '
			}, p.Source[:min(max(p.Column-1, 0), len(p.Source))])
			lines = append(lines, "    "+p.Source, "    "+mark+"^")
		}
		if p.Help != "" {
			lines = append(lines, p.Help)
		}
		f.Traceback = append(f.Traceback, strings.Join(lines, "\n"))
	}
	return f
}
