package front

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// crash is what Go's runtime says of the end of a program.
type crash struct {
	name   string   // panic, fatal error
	text   string   // the sentence of the panic or error
	places []string // in cells, the innermost first: "cell 4, line 2"
	within string   // the place outside of cells where it happened; "" if it happened in a cell
	told   bool     // it is an error that a function such as Must reports
	trace  string   // the stacks of goroutines, as Go's runtime lists them
}

var (
	ending  = regexp.MustCompile(`(?m)^(panic|fatal error): `)
	routine = regexp.MustCompile(`(?m)^goroutine \d+ .*:$`)
	// exitWords matches GoNB's words on how a program ended.
	exitWords = regexp.MustCompile(`\A(\^C\n)?(exit status \d+|signal: [a-z ]+)\n\z`)
	inCell    = regexp.MustCompile(`[\t/]cell (\d+)(?:/\d+\.\d+)?:(\d+)`)
	// cellFolder matches GoNB's folder before the name of a cell, and addresses the addresses in a trace. Both differ
	// from run to run.
	cellFolder = regexp.MustCompile(`(?m)^\t(?:\S*/)?(cell \d+)(?:/\d+\.\d+)?(:\d+)`)
	addresses  = regexp.MustCompile(`(?m)( \+0x[0-9a-f]+| in goroutine \d+ gp=.*)$|\bexit status \d+\n?\z`)
)

// mostTrace is the largest number of bytes of Go's trace that a notebook keeps.
const mostTrace = 20_000

// traceOf returns Go's trace without what differs from run to run.
func traceOf(text string) string {
	text = addresses.ReplaceAllString(cellFolder.ReplaceAllString(strings.TrimSpace(text), "\t$1$2"), "")
	if len(text) > mostTrace {
		text = text[:strings.LastIndexByte(text[:mostTrace], '\n')+1] + "…"
	}
	return text
}

// fold returns the display of a trace: a line that opens in HTML, and plain text for front ends without HTML.
func fold(trace string) map[string]any {
	page := `<details style="font-size:12px;opacity:.8"><summary style="cursor:pointer">Go's trace</summary><pre style="margin:4px 0 0 12px">` +
		html.EscapeString(trace) + `</pre></details>`
	return map[string]any{"data": map[string]string{"text/html": page, "text/plain": trace},
		"metadata": map[string]any{}}
}

// reporters are the functions that panic with an error which is meant to be read.
var reporters = []string{"github.com/expfam/lab/expfam.Must", "github.com/expfam/lab/viz.Show",
	"github.com/expfam/lab/viz/live.Panel.Show", "main.main_fail"}

// parseCrash reads the account of Go's runtime; ok is false if the text has none.
func parseCrash(text string) (c crash, ok bool) {
	at := ending.FindStringSubmatchIndex(text)
	if at == nil {
		return c, false
	}
	c.name = text[at[2]:at[3]]
	rest := text[at[1]:]
	stack := routine.FindStringIndex(rest)
	if stack == nil {
		return c, false
	}
	c.text = strings.TrimSpace(rest[:stack[0]])
	if sentence, _, found := strings.Cut(c.text, "\n[signal "); found {
		c.text = strings.TrimSpace(sentence)
	}
	c.trace = traceOf(rest[stack[0]:])
	frames, _, _ := strings.Cut(rest[stack[1]:], "\n\ngoroutine ")
	function, first := "", true
	for line := range strings.Lines(frames) {
		if !strings.HasPrefix(line, "\t") {
			function = line
			continue
		}
		if strings.HasPrefix(function, "created by ") {
			break
		}
		if first && !strings.HasPrefix(function, "panic(") && !strings.HasPrefix(function, "runtime.") {
			first = false
			for _, r := range reporters {
				c.told = c.told || strings.HasPrefix(function, r)
			}
			if !c.told && !inCell.MatchString(line) {
				file, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				c.within = fmt.Sprintf("in %s, %s", functionName(path.Base(strings.TrimSpace(function))),
					path.Base(file))
			}
		}
		// A function main_… is no text of a cell, but stands behind one and has its place by the last line comment.
		if found := inCell.FindStringSubmatch(line); found != nil && !strings.HasPrefix(function, "main.main_") {
			place := fmt.Sprintf("cell %s, line %s", found[1], found[2])
			if name := functionName(function); name != "main" && name != "init" {
				place += ", in " + name
			}
			if n := len(c.places); n == 0 || c.places[n-1] != place {
				c.places = append(c.places, place)
			}
		}
	}
	return c, true
}

// functionName returns the name of the function in a line of a stack. For a function literal it is the name of the
// function around it.
func functionName(line string) string {
	line = strings.TrimPrefix(line, "main.")
	if before, after, found := strings.Cut(line, "(*"); found {
		line = before + strings.Replace(after, ")", "", 1)
	}
	name, _, _ := strings.Cut(line, "(")
	name, _, _ = strings.Cut(name, ".func")
	name, _, _ = strings.Cut(name, "[")
	return strings.TrimSpace(name)
}

// lacks finds the command that the go command recommends for a package whose module is not required.
var lacks = regexp.MustCompile(`(?m)\bgo (?:get|mod download|mod tidy)\b[^\n;]*$`)

// verdict returns in few words why a program failed; nil if it ended well.
func (x *execution) verdict(reply jupyter.ExecuteReply, program *cell.Program) *fault {
	if !x.interrupted() {
		x.endedEarly(program)
	}
	text := x.stderr.rest()
	why := reply.EValue
	if reply.Status == "ok" {
		if text != "" {
			x.publish(x.request, "stream", stream{"stderr", text})
		}
		return nil
	}
	if x.interrupted() {
		return x.stopped(why, program)
	}
	if c, ok := parseCrash(text); ok {
		c.trace = strings.ReplaceAll(c.trace, x.packages.checkout+"/", "")
		return c.fault()
	}
	if text += x.exit; text != "" {
		x.publish(x.request, "stream", stream{"stderr", text})
	}
	if command := lacks.FindString(why); command != "" {
		why = "the cells' module does not have all that the cell imports: type %" + strings.TrimPrefix(command, "go ") +
			" in a cell, and run this cell again"
	}
	if why == "signal: killed" {
		why = "the program was killed: most likely it took more memory than the machine has"
	}
	return &fault{Name: "error", Value: why, Traceback: []string{red(why)}}
}

// fault returns the fault of a crash: the sentence of the error, and the places where it happened.
func (c crash) fault() *fault {
	const most = 5
	f := &fault{Name: c.name, Value: c.text, trace: c.trace}
	line := c.name + ": " + c.text
	if c.told {
		f.Name, line = "error", c.text
	}
	f.Traceback = []string{red(line)}
	if c.within != "" {
		f.Traceback = append(f.Traceback, c.within)
	}
	if len(c.places) > 0 {
		f.Value += " (" + c.places[0] + ")"
		first := ""
		if c.within != "" {
			first = "called from "
		}
		f.Traceback = append(f.Traceback, first+strings.Join(c.places[:min(most, len(c.places))], "\ncalled from "))
	}
	return f
}

// Interrupted is the name of the fault of a cell that somebody stopped.
const Interrupted = "interrupted"

// stopped tells of an interrupt, in grey because nothing is wrong. If the library says what it kept, that takes the
// place of a general sentence.
func (x *execution) stopped(why string, program *cell.Program) *fault {
	said := "interrupted"
	if x.built.IsZero() {
		said += " while the cell was compiled"
	} else {
		said += fmt.Sprintf(" after %.1f s", x.ended.Sub(x.built).Seconds())
	}
	if strings.Contains(why, "killed") {
		said += "; the program did not listen and was killed"
	}
	kept := "what the library had stored is kept: run the cell again to go on"
	if c, ok := parseCrash(x.stderr.rest()); ok && c.told && strings.Contains(c.text, "interrupted") {
		kept = c.text
		if len(c.places) > 0 {
			kept += " (" + c.places[0] + ")"
		}
	} else if x.built.IsZero() {
		kept = "nothing ran: run the cell again"
	}
	if names := x.unsaved(program); names != "" {
		said += "; what the cell computed or changed is not kept in " + names
	}
	said += "; " + kept
	x.say(said)
	return &fault{Name: Interrupted, Value: said, Traceback: []string{}, quiet: true}
}
