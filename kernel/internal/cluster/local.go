package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
)

// Local runs shares as processes of this machine, as many at once as it has processors. The zero value is ready.
// They end with the program that watches them.
type Local struct {
	mu      sync.Mutex
	waiting []string // names of shares, or the merge
	running map[string]*exec.Cmd
}

// Answers returns an error if there is no shell.
func (l *Local) Answers(context.Context) error {
	_, err := exec.LookPath("sh")
	return err
}

// queue starts what has room, and returns what waits or runs.
func (l *Local) queue(ctx context.Context, w *watch) (tasks []task, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil {
		l.running = map[string]*exec.Cmd{}
	}
	for len(l.waiting) > 0 && len(l.running) < min(w.Shares, runtime.NumCPU()) {
		name := l.waiting[0]
		l.waiting = l.waiting[1:]
		err = errors.Join(err, l.start(ctx, w, name))
	}
	for name := range l.running {
		tasks = append(tasks, localTask(name, "RUNNING"))
	}
	for _, name := range l.waiting {
		tasks = append(tasks, localTask(name, "PENDING"))
	}
	return tasks, err
}

func localTask(name, state string) task {
	share, err := strconv.Atoi(name)
	if err != nil {
		share = -1
	}
	return task{id: name, array: "local", share: share, state: state, reason: "a processor"}
}

// start starts a share. Its processors are its part of the machine's.
func (l *Local) start(ctx context.Context, w *watch, name string) error {
	script, err := w.runScript(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", script)
	interruptible(cmd)
	each := max(1, runtime.NumCPU()/min(w.Shares, runtime.NumCPU()))
	if name == mergeName {
		each = runtime.NumCPU()
	}
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(each))
	if err := cmd.Start(); err != nil {
		return err
	}
	l.running[name] = cmd
	go func() {
		_ = cmd.Wait() // its mark says how it ended
		l.mu.Lock()
		delete(l.running, name)
		l.mu.Unlock()
	}()
	return nil
}

func (l *Local) shares(_ context.Context, _ *watch, shares []int) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range shares {
		l.waiting = append(l.waiting, strconv.Itoa(i))
	}
	return "local", nil
}

func (l *Local) merge(context.Context, *watch, []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, mergeName)
	return nil
}

func (*Local) hasten(context.Context, task) {}
func (*Local) follows() bool                { return false }
func (*Local) stop(*watch) string           { return "the end of this program, which has ended them" }
