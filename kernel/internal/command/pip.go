package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// pipProgress shows what pip is doing: on a terminal in one line, elsewhere now and then in a line of its own.
type pipProgress struct {
	out      io.Writer
	terminal bool
	began    time.Time
	end      func()

	mu    sync.Mutex
	rest  string   // a line that has not ended yet
	last  string   // the last line that says what goes on
	lines []string // the last of everything
	shown bool
}

const (
	pipTick  = time.Second
	pipQuiet = 15 * time.Second // between lines where a line can't be written over
	pipKept  = 40
)

func newPipProgress(out io.Writer) *pipProgress {
	p := &pipProgress{out: out, terminal: isTerminal(out), began: time.Now(), last: "making a Python environment"}
	period := pipTick
	if !p.terminal {
		period = pipQuiet
	}
	p.end = repeat(period, p.show)
	return p
}

func (p *pipProgress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := []rune(p.last)
	text := fmt.Sprintf("%3.0f s  %s", time.Since(p.began).Seconds(), string(line[:min(len(line), shownLine)]))
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K  %s", text)
	} else {
		fmt.Fprintf(p.out, "\n  %s", text)
	}
	p.shown = true
}

// stop ends what is shown, so that the step's result follows in a line that is clean.
func (p *pipProgress) stop() {
	p.end()
	if !p.shown {
		return
	}
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	} else {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintf(p.out, "%-20s ", "JupyterLab")
}

// Write takes pip's output.
func (p *pipProgress) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := strings.Split(p.rest+string(data), "\n")
	p.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		p.lines = append(p.lines, line)
		p.lines = p.lines[max(0, len(p.lines)-pipKept):]
		for _, verb := range []string{"Collecting ", "Downloading ", "Installing "} {
			if strings.HasPrefix(line, verb) {
				p.last = line
			}
		}
	}
	return len(data), nil
}

// reason returns why pip or venv failed, from the lines that it printed; "" if none says it.
func (p *pipProgress) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range append(p.lines, p.rest) {
		if strings.Contains(line, "ensurepip is not") {
			return "Python's venv is not complete (`apt-get install python3-venv` mends that)"
		}
	}
	for _, line := range p.lines {
		// pip repeats a network's error in warnings, and its last errors speak of versions that it could not look up.
		if strings.Contains(line, "connection broken by") {
			return "pip can't reach its package index"
		}
	}
	for _, line := range p.lines {
		if strings.Contains(line, "DO NOT MATCH THE HASHES") {
			return "pip: a download is not what was pinned, so nothing of it was installed: the package index, or " +
				"what is between it and here, serves other files"
		}
	}
	for i := len(p.lines) - 1; i >= 0; i-- {
		if text, ok := strings.CutPrefix(p.lines[i], "ERROR: "); ok {
			return "pip: " + text
		}
	}
	return ""
}
