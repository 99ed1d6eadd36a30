package jupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/expfam/lab/internal/safefile"
)

// Spec says how to start a kernel.
type Spec struct {
	// Argv is the command of the kernel's kernel.json; {connection_file} stands for the path of the connection file.
	Argv []string
	// Env holds additions to the environment of this process; ${NAME} in a value stands for a variable of that
	// environment.
	Env map[string]string
	// Dir is where the kernel runs; "" means the working directory.
	Dir string
	// Supervisor is the command that calls Supervise, with the arguments that Start adds.
	Supervisor []string
}

// Kernel is a running kernel process with its client.
type Kernel struct {
	*Client

	dir    string // everything temporary of this kernel: TMPDIR, sockets, connection file
	remove func() // removes dir
	server *Server
	log    *tail
}

// Start starts a kernel and waits until it is ready. The kernel, whatever it started and its temporary files are gone
// after Stop. They are gone also after the death of this process by any signal: its end of a pipe then closes, and the
// supervisor, a process between this one and the kernel, sees that.
func Start(ctx context.Context, spec Spec) (*Kernel, error) {
	dir, remove, err := safefile.Folder("", "expfam-")
	if err != nil {
		return nil, fmt.Errorf("jupyter: %w", err)
	}
	conn, err := NewConnection(dir)
	if err != nil {
		remove()
		return nil, err
	}
	file, err := conn.Write(dir)
	if err != nil {
		remove()
		return nil, err
	}
	command := spec.Argv[0]
	spec.Argv = slices.Clone(spec.Argv)
	for i, arg := range spec.Argv {
		spec.Argv[i] = strings.ReplaceAll(arg, "{connection_file}", file)
	}
	spec.Env = maps.Clone(spec.Env)
	if spec.Env == nil {
		spec.Env = map[string]string{}
	}
	spec.Env["TMPDIR"] = dir
	k := &Kernel{dir: dir, remove: remove, log: &tail{}}
	if k.server, err = StartSupervised(spec, dir, k.log, k.log); err != nil {
		remove()
		return nil, err
	}
	if k.Client, err = Dial(ctx, k.server.Alive(), conn); err == nil {
		err = k.Ready(ctx)
	}
	if err != nil {
		k.Stop()
		return nil, k.explain(fmt.Errorf("jupyter: starting %s: %w", command, err))
	}
	return k, nil
}

// TempDir returns the kernel's folder for temporary files, which is removed when the kernel ends.
func (k *Kernel) TempDir() string { return k.dir }

// Stop asks the kernel to end, which lets it tidy up, and kills it if it doesn't within two seconds.
func (k *Kernel) Stop() {
	k.server.EndKernel(k.Client)
	k.remove()
}

// Explain adds to ErrClosed what the kernel last wrote on its standard error; other errors it returns as they are.
func (k *Kernel) Explain(err error) error {
	if errors.Is(err, ErrClosed) {
		return k.explain(err)
	}
	return err
}

func (k *Kernel) explain(err error) error {
	if s := k.log.String(); s != "" {
		return fmt.Errorf("%w; the kernel's last words:\n%s", err, s)
	}
	return err
}

// environ returns the environment with additions, in which each ${NAME} is replaced by what the environment had before.
func environ(base []string, add map[string]string) []string {
	before := make(map[string]string, len(base))
	for _, kv := range base {
		if name, value, ok := strings.Cut(kv, "="); ok {
			before[name] = value
		}
	}
	env := append([]string{}, base...)
	for name, value := range add {
		for old, v := range before {
			value = strings.ReplaceAll(value, "${"+old+"}", v)
		}
		env = append(env, name+"="+value)
	}
	return env
}

// tail keeps the last lines of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}
