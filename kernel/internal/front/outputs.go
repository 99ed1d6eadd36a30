package front

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// output passes on what GoNB publishes because of the cell.
func (x *execution) output(m jupyter.Message) {
	switch m.Header.Type {
	case "execute_input":
		if x.interrupted() { // the interrupt came before GoNB began to listen
			time.AfterFunc(interruptAgain, func() { x.stopCell(time.Now()) })
		}
		return
	case "error":
		return // this kernel publishes an error of its own
	case BuiltType:
		x.built = time.Now()
		x.doing("running")
		return
	case EndedType:
		x.say(endedChildren(decode[struct{ Processes []string }](m).Processes))
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
	x.publish(x.request, m.Header.Type, m.Content)
}

// endedChildren says what became of children that outlived the cell's program with its output.
func endedChildren(processes []string) string {
	const most = 3
	who, were := "a child process", "was"
	if len(processes) > 1 {
		who, were = fmt.Sprintf("%d child processes", len(processes)), "were"
	}
	if len(processes) == 0 {
		return "a child process of the cell still has its output open; what it writes from now on is not shown: " +
			"give it an output of its own, such as a file"
	}
	names := strings.Join(processes[:min(most, len(processes))], "; ")
	return fmt.Sprintf("%s (%s) of the cell kept its output open after its end, and %s ended: "+
		"to let one go on, give it an output of its own, such as a file", who, names, were)
}

// interruptAgain is the time after which an interrupt is repeated that came before GoNB began to listen.
const interruptAgain = 100 * time.Millisecond

// interrupted reports whether somebody has interrupted the cell.
func (x *execution) interrupted() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.interrupt.After(x.start)
}

// untilInterrupted returns a context that ends when somebody interrupts the cell, and a function that ends it.
func (x *execution) untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil && !x.interrupted() {
			time.Sleep(50 * time.Millisecond)
		}
		stop()
	}()
	return ctx, stop
}

// result shows the value at the end of the cell.
func (x *execution) result() {
	data := map[string]string{}
	text, err := os.ReadFile(x.session.Result)
	if err != nil {
		page := x.session.Result + cell.PageSuffix
		if text, err = os.ReadFile(page); err != nil {
			return
		}
		os.Remove(page)
		data["text/html"] = string(text)
	}
	if over := len(text) - mostResult; over > 0 {
		text = fmt.Appendf(text[:mostResult], " … %d bytes left out", over)
	}
	data["text/plain"] = string(text)
	x.publish(x.request, "execute_result", map[string]any{"execution_count": x.count, "metadata": map[string]any{},
		"data": data})
}

// mostResult is the largest number of bytes of a value that a notebook shows.
const mostResult = 100_000

// times returns how long the cell took to build and to run, in seconds, for front ends that show it.
func (x *execution) times() map[string]any {
	if x.built.IsZero() {
		return map[string]any{}
	}
	return map[string]any{"expfam": map[string]float64{"built": x.built.Sub(x.start).Seconds(),
		"ran": x.ended.Sub(x.built).Seconds()}}
}

// doing tells the front end what goes on, in a message of the kernel's state with a word more. A front end without a
// notebook gets no such message: it may take the first state after busy for the last, as jupyter_kernel_test does.
func (x *execution) doing(what string) {
	if !x.shown {
		return
	}
	x.publish(x.request, "status", map[string]any{"execution_state": "busy", "expfam": what})
}

func (x *execution) print(text string) { x.publish(x.request, "stream", stream{"stdout", text}) }

// say prints a line of the kernel's own, in grey.
func (x *execution) say(text string) { x.print(grey + text + plain + "\n") }

const grey, plain = "\x1b[38;5;244m", "\x1b[0m"

// Remark matches the lines that the kernel itself prints between those of a cell.
var Remark = regexp.MustCompile("(?m)^" + regexp.QuoteMeta(grey) + ".*" + regexp.QuoteMeta(plain) + "\n?")
