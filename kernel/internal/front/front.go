// Package front stands between Jupyter and GoNB. It speaks the protocol of Jupyter's kernels on both sides: it makes
// programs of what people type (package cell), has GoNB compile and run them, and says in few words what went wrong.
package front

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// workFlag is the flag of GoNB that names the checkout, whose packages cells import.
const workFlag = "-go_work="

// front is one running kernel.
type front struct {
	host      *jupyter.Host
	gonb      *backend // nil if nothing can be compiled
	packages  *packages
	session   *cell.Session
	sessions  sync.Mutex // guards session
	queue     chan request
	ready     chan struct{} // closed when the packages are known, or nothing can be compiled
	unready   error         // why nothing can be; set before ready is closed
	began     time.Time     // when the preparation began, if there is one
	expected  time.Duration // about how long it takes
	setsBuild bool          // a cell has changed how the go command builds programs, which builds all from then on
	asking    sync.Mutex    // one program asks for input at a time
	end       func()

	mu        sync.Mutex
	count     int               // number of executions so far
	inputs    []string          // code of the executions, in their order
	running   *request          // the execution that GoNB may ask for input
	interrupt time.Time         // when the last interrupt came
	asked     *question         // what a program has asked the person; nil for nothing
	shown     []*showing        // what cells have shown, the latest last
	early     *early            // an interrupt that found no cell; nil for none
	comms     map[string]string // targets of the comms that front ends have opened, by id
}

// request is a message and the channel on which it came.
type request struct {
	jupyter.Message
	channel jupyter.Channel
}

func newFront(end func()) *front {
	f := &front{queue: make(chan request, 1000), ready: make(chan struct{}), comms: map[string]string{}, end: end}
	f.packages = &packages{work: func() string { return f.gonb.work }}
	f.session = &cell.Session{Packages: f.packages, Unrun: unrun(os.Getenv("JPY_SESSION_NAME"))}
	return f
}

// Run serves a kernel at the connection that Jupyter has written into a file, until the kernel is told to end. gonb is
// the command line of GoNB, and supervisor a command that calls [jupyter.Supervise]. Cells wait for a preparation, if
// there is one.
func Run(file string, gonb, supervisor []string, preparation *Preparation) error {
	conn, err := jupyter.ReadConnection(file)
	if err != nil {
		return err
	}
	env := limitMemory()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	f := newFront(end)
	if preparation != nil && preparation.Kept != "" {
		f.packages.kept = preparation.Kept
	} else if self, err := os.Executable(); err == nil {
		f.packages.kept = filepath.Join(filepath.Dir(self), "packages.json")
	}
	for _, arg := range gonb {
		if dir, is := strings.CutPrefix(arg, workFlag); is {
			f.packages.checkout = dir
		}
	}
	go f.prepare(preparation)
	if f.host, err = jupyter.Listen(conn); err != nil {
		return err
	}
	defer f.host.Close()
	backend := jupyter.Spec{Argv: gonb, Env: env, Supervisor: supervisor}
	if f.gonb, err = startBackend(backend, filepath.Base(file), f.relay); err != nil {
		return err
	}
	defer f.gonb.stop()
	f.session.Values, f.session.Result = filepath.Join(f.gonb.dir, "values"), filepath.Join(f.gonb.dir, "result")
	if err := os.Mkdir(f.session.Values, 0o700); err != nil {
		return err
	}
	asking, err := net.Listen("unix", f.gonb.socketOfInput())
	if err == nil {
		defer asking.Close()
		go f.serveInput(asking)
	} else if runtime.GOOS != "windows" { // where old versions have no such sockets, and input is at its end
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go f.receive(jupyter.Shell)
	go f.receive(jupyter.Control)
	go f.receive(jupyter.Stdin)
	go f.work(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.gonb.server.Ended():
			return errors.New("GoNB ended: restart the kernel")
		case s := <-signals:
			if s != syscall.SIGINT {
				return nil
			}
			f.stopCell(time.Now())
		}
	}
}

// receive answers the messages of a channel or passes them on. Requests to execute cells wait in the queue.
func (f *front) receive(channel jupyter.Channel) {
	for {
		m, err := f.host.Receive(channel)
		if err != nil {
			f.end()
			return
		}
		r := request{m, channel}
		switch m.Header.Type {
		case "execute_request":
			f.queue <- r
		case "complete_request":
			go f.complete(r) // also while a cell runs
		case "inspect_request":
			go f.inspect(r)
		case "input_reply":
			if !f.answered(m) {
				f.forward(channel, m)
			}
		case "comm_open", "comm_msg", "comm_close":
			f.commOf(m)
			f.forward(channel, m)
		case "expfam_variables_request": // of the panel in JupyterLab
			go f.answer(r, f.variables())
		case "expfam_outputs_request": // of a page that was closed while a cell ran
			go f.answer(r, f.outputs(m))
		case "comm_info_request": // which GoNB leaves without an answer
			f.answer(r, f.commInfo(m))
		case "interrupt_request":
			f.stopCell(m.Header.Sent())
			f.answer(r, map[string]any{"status": "ok"})
		case "shutdown_request":
			f.stopCell(m.Header.Sent())
			f.answer(r, shutdownReply(m)) // which leaves before the sockets are closed
			f.end()
		case "kernel_info_request":
			f.answer(r, kernelInfo())
		case "is_complete_request":
			f.answer(r, isComplete(m))
		case "history_request":
			f.answer(r, f.history(m))
		}
	}
}

// forward passes a message on to GoNB.
func (f *front) forward(channel jupyter.Channel, m jupyter.Message) {
	if f.gonb != nil {
		f.gonb.Forward(channel, m)
	}
}

// work runs the cells of the queue, one after the other.
func (f *front) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-f.queue:
			f.execute(ctx, r)
		}
	}
}

// answer replies to a request, between messages that the kernel is busy because of it and idle again.
func (f *front) answer(r request, content any) {
	f.status(r, "busy")
	f.reply(r, content, nil)
	f.status(r, "idle")
}

func (f *front) reply(r request, content any, metadata map[string]any) {
	f.host.Reply(r.channel, r.Message, strings.Replace(r.Header.Type, "_request", "_reply", 1), content, metadata)
}

func (f *front) status(r request, state string) {
	f.publish(r, "status", map[string]any{"execution_state": state})
}

func (f *front) publish(r request, msgType string, content any) {
	f.record(r, msgType, content)
	f.host.Publish(r.Message, msgType, content)
}

// relay passes on what GoNB says of its own accord: about controls, or to ask for input.
func (f *front) relay(channel jupyter.Channel, m jupyter.Message) {
	f.mu.Lock()
	running := f.running
	f.mu.Unlock()
	switch {
	case channel == jupyter.IOPub && m.Header.Type != "status":
		f.host.Send(channel, m)
	case channel == jupyter.Stdin && running != nil:
		m.Identities, m.Parent = running.Identities, running.Header
		f.host.Send(channel, m)
	}
}

// decode reads the content of a request; a field that is missing keeps its zero.
func decode[T any](m jupyter.Message) (content T) {
	json.Unmarshal(m.Content, &content)
	return content
}
