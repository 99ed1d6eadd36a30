package front

import (
	"encoding/json"
	"net"
	"path/filepath"

	"github.com/expfam/lab/kernel/input"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// question is a request for input that waits for its answer.
type question struct {
	of     *request    // the execution whose program asks
	answer chan string // closed if there will be none
}

// socketOfInput is where programs of cells ask for input.
func (b *backend) socketOfInput() string { return filepath.Join(b.dir, "input") }

// serveInput passes on what programs of cells ask the person, until the listener is closed.
func (f *front) serveInput(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			for in, out := json.NewDecoder(conn), json.NewEncoder(conn); ; {
				var r input.Request
				if in.Decode(&r) != nil || out.Encode(f.question(r)) != nil {
					return
				}
			}
		}()
	}
}

// question asks the front end that runs a cell, and waits for the answer, or for the end of the cell.
func (f *front) question(r input.Request) input.Answer {
	f.asking.Lock() // one question at a time
	defer f.asking.Unlock()
	f.mu.Lock()
	running := f.running
	if running == nil || !decode[jupyter.Request](running.Message).AllowStdin {
		f.mu.Unlock()
		return input.Answer{None: true}
	}
	q := &question{running, make(chan string, 1)}
	f.asked = q
	f.mu.Unlock()
	f.host.Reply(jupyter.Stdin, running.Message, "input_request", r, nil)
	line, given := <-q.answer
	return input.Answer{Line: line, None: !given}
}

// answered takes an answer to the question that waits. It reports false if there is none, as when GoNB has asked.
func (f *front) answered(m jupyter.Message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked == nil {
		return false
	}
	f.asked.answer <- decode[struct{ Value string }](m).Value
	f.asked = nil
	return true
}

// unasked ends the question that waits. The caller holds the lock.
func (f *front) unasked() {
	if f.asked != nil {
		close(f.asked.answer)
		f.asked = nil
	}
}
