package command

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"
)

// pipOutput is what pip and venv print, for a status line and for the reason of a failure.
type pipOutput struct {
	mu    sync.Mutex
	rest  string   // a line that has not ended yet
	last  string   // the last line that says what goes on
	lines []string // the last of everything
}

const (
	pipQuiet = 15 * time.Second // between lines where a line can't be written over
	pipKept  = 40               // lines of the output
)

// text returns what pip does now.
func (p *pipOutput) text(began time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := []rune(cmp.Or(p.last, "making a Python environment"))
	return fmt.Sprintf("  %3.0f s  %s", time.Since(began).Seconds(), string(line[:min(len(line), shownLine)]))
}

// Write takes pip's output.
func (p *pipOutput) Write(data []byte) (int, error) {
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
func (p *pipOutput) reason() string {
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
