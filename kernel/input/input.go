// Package input asks the person at the notebook for lines of text. Programs of a notebook's cells import it in the
// place of standard input, which they do not have: the kernel writes Of(os.Stdin) where a cell reads from os.Stdin.
// Nobody else needs it.
package input

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"sync"
)

// Env is the environment variable with the path of the socket at which the kernel takes requests.
const Env = "EXPFAM_INPUT"

// Request asks for a line of text. Prompt stands before the box in which the person types; the text that is typed is
// not shown if it is a password.
type Request struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// Answer is what the kernel says to a request.
type Answer struct {
	Line string
	None bool // the front end takes no input
}

// reader is standard input as the kernel gives it: each line is asked for when the program wants to read it.
type reader struct {
	mu   sync.Mutex
	conn net.Conn // nil until the first request
	rest []byte   // of lines that were typed
}

var in reader

// Of returns what a cell reads in the place of a file, which is os.Stdin. Where nobody can be asked it is the file.
func Of(file *os.File) io.Reader {
	if os.Getenv(Env) == "" {
		return file
	}
	return &in
}

// Asks returns a function that asks for a line with a prompt, in the place of a function of GoNB that does so. The line
// is there for the next one who reads from standard input.
func Asks(func(prompt string, password bool)) func(prompt string, password bool) {
	return func(prompt string, password bool) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.ask(Request{prompt, password})
	}
}

// Read reads the rest of a line, or asks for the next one.
func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.rest) == 0 {
		if err := r.ask(Request{}); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *reader) ask(request Request) (err error) {
	if r.conn == nil {
		if r.conn, err = net.Dial("unix", os.Getenv(Env)); err != nil {
			return io.EOF
		}
	}
	var answer Answer
	if json.NewEncoder(r.conn).Encode(request) != nil || json.NewDecoder(r.conn).Decode(&answer) != nil || answer.None {
		return io.EOF
	}
	r.rest = append(r.rest, answer.Line+"\n"...)
	return nil
}
