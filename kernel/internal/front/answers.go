package front

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/version"
	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// kernelInfo returns what front ends are told about this kernel.
func kernelInfo() map[string]any {
	golang := strings.TrimPrefix(runtime.Version(), "go")
	return map[string]any{
		"status": "ok", "protocol_version": jupyter.Version, "implementation": "expfam",
		"implementation_version": version.Version,
		"banner":                 "expfam lab " + version.Version + ": Go " + golang,
		"language_info": map[string]any{
			"name": "go", "version": golang, "mimetype": "text/x-go", "file_extension": ".go",
			"pygments_lexer": "go", "codemirror_mode": "go", "nbconvert_exporter": "script",
		},
		"debugger": false,
		// No "kernel subshells": each cell is a program of its own, and completion, documentation and help are
		// answered while one runs.
		"supported_features": []string{"iopub_welcome"},
		"help_links": []map[string]string{
			{"text": "Go", "url": "https://go.dev/doc/"}, {"text": "GoNB", "url": "https://github.com/janpfeifer/gonb"},
		},
	}
}

// isComplete tells a console whether a line to come belongs to the same cell.
func isComplete(m jupyter.Message) map[string]any {
	status, indent := cell.Complete(decode[jupyter.Request](m).Code)
	answer := map[string]any{"status": status}
	if status == "incomplete" {
		answer["indent"] = indent
	}
	return answer
}

// history lists the code that was executed since the kernel started. The kernel knows no other history.
func (f *front) history(m jupyter.Message) map[string]any {
	want := decode[struct {
		Access  string `json:"hist_access_type"`
		N       int    `json:"n"`
		Start   int    `json:"start"`
		Stop    int    `json:"stop"`
		Pattern string `json:"pattern"`
		Output  bool   `json:"output"`
		Unique  bool   `json:"unique"`
	}](m)
	f.mu.Lock()
	defer f.mu.Unlock()
	found := [][]any{}
	pattern := regexp.MustCompile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").
		Replace(regexp.QuoteMeta(want.Pattern)) + "$")
	for i, input := range f.inputs {
		line := i + 1
		switch want.Access {
		case "range":
			if line < want.Start || want.Stop > 0 && line >= want.Stop {
				continue
			}
		case "search":
			if !pattern.MatchString(input) || want.Unique && slices.Contains(f.inputs[i+1:], input) {
				continue
			}
		}
		if want.Output {
			found = append(found, []any{0, line, []any{input, nil}})
		} else {
			found = append(found, []any{0, line, input})
		}
	}
	if want.N > 0 && want.Access != "range" {
		found = found[max(0, len(found)-want.N):]
	}
	return map[string]any{"status": "ok", "history": found}
}

// commOf notes which comms front ends open and close.
func (f *front) commOf(m jupyter.Message) {
	c := decode[struct {
		ID     string `json:"comm_id"`
		Target string `json:"target_name"`
	}](m)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Header.Type {
	case "comm_open":
		f.comms[c.ID] = c.Target
	case "comm_close":
		delete(f.comms, c.ID)
	}
}

// commInfo lists the open comms: those of one target if the request names it, else all.
func (f *front) commInfo(m jupyter.Message) map[string]any {
	want := decode[struct {
		Target string `json:"target_name"`
	}](m).Target
	f.mu.Lock()
	defer f.mu.Unlock()
	open := map[string]any{}
	for id, target := range f.comms {
		if want == "" || want == target {
			open[id] = map[string]string{"target_name": target}
		}
	}
	return map[string]any{"status": "ok", "comms": open}
}

// variables answers what %who prints.
func (f *front) variables() map[string]any {
	f.sessions.Lock()
	defer f.sessions.Unlock()
	all := f.session.Variables()
	if all == nil {
		all = []cell.Variable{}
	}
	return map[string]any{"status": "ok", "variables": all}
}

func shutdownReply(m jupyter.Message) map[string]any {
	return map[string]any{"status": "ok", "restart": decode[struct{ Restart bool }](m).Restart}
}

// unrun returns a function that finds the cell which defines a name, in the notebook's file as it was last saved. path
// is the name that Jupyter's server gives the file; if it is not a notebook's, unrun returns nil.
func unrun(path string) func(string) string {
	if !strings.HasSuffix(path, ".ipynb") {
		return nil
	}
	return func(name string) string {
		path := path
		if _, err := os.Stat(path); err != nil {
			path = filepath.Base(path) // the server starts kernels in the notebook's folder
		}
		nb, err := ipynb.Read(path)
		if err != nil {
			return ""
		}
		for _, c := range nb.Cells {
			if c.Type == ipynb.Code && cell.Declares(c.Source, name) {
				return fmt.Sprintf("the cell that begins with %q defines it and has not run since the kernel "+
					"started: run the cells above first", c.FirstLine())
			}
		}
		return ""
	}
}
