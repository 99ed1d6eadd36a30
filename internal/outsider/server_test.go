package outsider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// build is a program of testdata, built as a module of its own that replaces the
// library by this checkout, without the network.
func build(t *testing.T, name string) (binary string) {
	t.Helper()
	root := must.Get(filepath.Abs("../.."))(t)
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
	}
	must.Do(t, err)
	binary = filepath.Join(dir, "program")
	for _, args := range [][]string{
		{"mod", "init", "example.com/outsider"},
		{"mod", "edit", "-replace", "github.com/expfam/lab=" + root, "-require", "github.com/expfam/lab@v0.0.0"},
		{"build", "-mod=mod", "-ldflags=-w", "-o", binary, "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return binary
}

// event is a line of the server's log.
type event struct {
	Message string `json:"msg"`
	Request int    `json:"request"`
	Step    int    `json:"step"`
	Address string `json:"address"`
	Error   string `json:"error"`
}

// running is the server with its log.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	events chan event
	url    string
	errors bytes.Buffer
}

func start(t *testing.T) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(build(t, "server"), t.TempDir()), events: make(chan event, 100000)}
	r.cmd.Env = append(os.Environ(), "EXPFAM_STORE="+t.TempDir())
	r.cmd.Stderr = &r.errors
	out := must.Get(r.cmd.StdoutPipe())(t)
	must.Do(t, r.cmd.Start())
	t.Cleanup(func() { r.cmd.Process.Kill() })
	go func() {
		defer close(r.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				r.events <- e
			}
		}
	}()
	r.url = "http://" + r.await("listens", 0).Address
	return r
}

// await is the next event of a message, of a request.
func (r *running) await(message string, request int) event {
	r.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case e, ok := <-r.events:
			if !ok {
				r.t.Fatalf("the server ended before %q of request %d: %s", message, request, &r.errors)
			}
			if strings.Contains(e.Message, message) && e.Request == request {
				return e
			}
		case <-timeout:
			r.t.Fatalf("no %q of request %d in a minute", message, request)
		}
	}
}

// get is the answer to a request.
func (r *running) get(ctx context.Context, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return strings.TrimSpace(string(text)), err
}

// leave sends a request and goes away after an event of the work.
func (r *running) leave(path, after string, request int) event {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	gone := make(chan error)
	go func() { _, err := r.get(ctx, path); gone <- err }()
	r.await(after, request)
	cancel()
	must.Be(r.t, (<-gone) != nil, "%s: an answer for a client that went away", path)
	return r.await("ended by its client", request)
}

// The library in a server: a client that goes away ends its work and no other, the log
// is the server's own, and so are interrupts.
func TestServer(t *testing.T) {
	r := start(t)
	if e := r.leave("/train?steps=4000", "trains", 1); !strings.HasPrefix(e.Error, "train: interrupted at step ") {
		t.Errorf("a training without a client ends with %q", e.Error)
	}
	path, err := r.get(t.Context(), "/train?steps=40")
	must.Need(t, err == nil && strings.HasSuffix(path, `40.safetensors"`), "a training: %s, %v", path, err)
	// A run of batches says so, in the log of its request.
	e := r.leave("/sample?draws=100000", "samples", 3)
	must.Be(t, strings.HasPrefix(e.Error, "sample: interrupted"), "sampling without a client ends with %q", e.Error)
	text, err := r.get(t.Context(), "/sample?draws=120&prior="+strings.Trim(path, `"`))
	var medians []float64
	must.Be(t, err == nil && json.Unmarshal([]byte(text), &medians) == nil && len(medians) == 6,
		"sampling: %s, %v", text, err)
	r.await("sample: 120 draws in 3 batches of 50", 4)
	text, err = r.get(t.Context(), "/sample?draws=0x")
	must.Be(t, err == nil && strings.Contains(text, "invalid syntax"), "a bad request: %s, %v", text, err)

	// An interrupt of the server is for the server: a request under way is answered.
	answered := make(chan error)
	go func() {
		text, err := r.get(t.Context(), "/sample?draws=300")
		must.Be(t, err != nil || json.Unmarshal([]byte(text), &medians) == nil, "after an interrupt: %s", text)
		answered <- err
	}()
	r.await("samples", 6)
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no interrupts here: ", err)
	}
	err = <-answered
	must.Be(t, err == nil, "after an interrupt: %v", err)
	r.await("over", 0)
	err = r.cmd.Wait()
	must.Be(t, err == nil && r.errors.Len() <= 0, "the server ends with %v and %q on standard error", err, &r.errors)
}
