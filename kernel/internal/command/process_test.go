package command

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// tcpKernel is the installed kernel over TCP, started without a supervisor, as Jupyter starts it.
type tcpKernel struct {
	*jupyter.Client
	conn jupyter.Connection
	cmd  *exec.Cmd
	end  chan error // gets the error with which the process ended
}

// Ports from quiet on are below those that systems give to connections and to servers that ask for any. These would
// take a port between the choice and the kernel's start. chosen counts the ports that tests of this process have
// chosen.
const quiet = 20_000

var chosen atomic.Int64

func (g gonb) tcp(t *testing.T) *tcpKernel {
	t.Helper()
	k := &tcpKernel{end: make(chan error, 1)}
	k.conn = jupyter.Connection{Transport: "tcp", IP: "127.0.0.1", Key: "a key", SignatureScheme: "hmac-sha256"}
	for _, port := range k.ports() {
		*port = must.Get(freePort(quiet + (61*os.Getpid()+int(chosen.Add(1)))%(10_000)))(t)
	}
	file, err := k.conn.Write(g.home)
	must.Do(t, err)
	var s spec
	must.Do(t, json.Unmarshal(read(t, filepath.Join(g.home, "jupyter/kernels/expfam/kernel.json")), &s))
	for i, arg := range s.Argv {
		s.Argv[i] = strings.ReplaceAll(arg, "{connection_file}", file)
	}
	k.cmd = exec.Command(s.Argv[0], s.Argv[1:]...)
	k.cmd.SysProcAttr = ownSession()
	k.cmd.Dir, k.cmd.Env = g.home, slices.Clone(g.env)
	for name, value := range s.Env {
		k.cmd.Env = append(k.cmd.Env, name+"="+os.Expand(value, os.Getenv))
	}
	must.Do(t, k.cmd.Start())
	go func() { k.end <- k.cmd.Wait() }()
	t.Cleanup(func() { k.cmd.Process.Signal(syscall.SIGTERM) })
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	t.Cleanup(cancel)
	if k.Client, err = jupyter.Dial(ctx, context.Background(), k.conn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Client.Close)
	must.Do(t, k.Ready(ctx))
	return k
}

func (k *tcpKernel) ports() []*int {
	return []*int{&k.conn.ShellPort, &k.conn.IOPubPort, &k.conn.StdinPort, &k.conn.ControlPort, &k.conn.HeartbeatPort}
}

// run executes a cell and returns what it writes and its value. said is called with all that it wrote, whenever that is
// more.
func (k *tcpKernel) run(t *testing.T, source string, said func(string)) (string, jupyter.ExecuteReply) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cellLimit)
	defer cancel()
	var text strings.Builder
	reply, err := k.Execute(ctx, source, func(m jupyter.Message) {
		var content struct {
			Text string
			Data map[string]string
		}
		json.Unmarshal(m.Content, &content)
		text.WriteString(content.Text + content.Data["text/plain"])
		if said != nil && content.Text != "" {
			said(text.String())
		}
	})
	must.Be(t, err == nil, "%v in %s", err, source)
	return text.String(), reply
}

// One subscriber never reads. Cells end, an interrupt comes through, and another subscriber gets all of the output.
func testDeafSubscriber(t *testing.T, g gonb) {
	k := g.tcp(t)
	deaf := must.Get(net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(k.conn.IOPubPort))))(t)
	defer deaf.Close()
	hello := append([]byte("\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL"), make([]byte, 48)...)
	deaf.Write(append(hello, "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB\x00\x01\x01"...))
	const size = 20_000_000
	prints := fmt.Sprintf("line := strings.Repeat(\"x\", 99) + \"\\n\"\nfor range %d {\n\tfmt.Print(line)\n}", size/100)
	if text, reply := k.run(t, prints, nil); len(text) != size || reply.Status != "ok" {
		t.Errorf("%d bytes of %d, status %s", len(text), size, reply.Status)
	}
	interrupted := false
	endless := "for {\n\tfmt.Println(strings.Repeat(\"busy\", 20000))\n\ttime.Sleep(time.Millisecond)\n}"
	_, reply := k.run(t, endless, func(text string) {
		if len(text) > 1<<20 && !interrupted {
			interrupted = true
			go k.Interrupt(context.Background())
		}
	})
	must.Equal(t, reply.EName, "interrupted", reply)
}

// testKills kills each of the kernel's processes while a cell runs. All that was started ends, and no file is left.
func testKills(t *testing.T, g gonb) {
	const sleeper = "setsid sleep 668 >/dev/null 2>&1"
	for _, c := range []struct {
		name    string
		victims func(front int, backend []int) []int
		child   string // what the cell starts
	}{
		{"the kernel", func(front int, _ []int) []int { return []int{front} }, sleeper},
		{"the kernel's group, as Jupyter does", func(front int, _ []int) []int { return []int{-front} }, sleeper},
		{"the supervisor", func(_ int, backend []int) []int { return backend[:1] }, sleeper},
		{"GoNB", func(_ int, backend []int) []int { return backend[1:2] }, sleeper},
		{"the kernel and the supervisor at once",
			func(front int, backend []int) []int { return []int{backend[0], front} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := g.apart(t)
			k := g.tcp(t)
			said := make(chan int, 1)
			source := "exec.Command(\"sh\", \"-c\", `" + c.child +
				"`).Start()\nfmt.Println(\"busy\")\ntime.Sleep(time.Hour)"
			go k.Execute(context.Background(), source, func(m jupyter.Message) {
				if strings.Contains(string(m.Content), "busy\\n") {
					said <- 1
				}
			})
			<-said
			var pids []int // the program of the cell, and its child, which may start after the program has spoken
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				pids = append(cellPrograms(g.tmp()), processes("sleep\x00668", 0)...)
				if c.child == "" || len(pids) == 2 {
					break
				}
			}
			// The supervisor, GoNB, then the program of the cell.
			backend := processes(g.tmp()+"/expfam-front-", os.Getpid())
			slices.Sort(backend)
			must.Need(t, len(backend) >= 3 && len(cellPrograms(g.tmp())) == 1 && (c.child != "") == (len(pids) == 2),
				"processes %v, %v", backend, pids)
			for _, pid := range c.victims(k.cmd.Process.Pid, backend) {
				must.Do(t, must.Get(os.FindProcess(pid))(t).Kill())
			}
			<-k.end
			for _, pid := range append(backend, pids...) {
				awaitGone(t, "a process of the kernel", pid, 30*time.Second)
			}
			if strings.Contains(c.name, "at once") { // nobody is left to tidy up: the next kernel does
				k := g.tcp(t)
				k.run(t, "1", nil)
				must.Equal(t, len(g.leftovers()), 1, "beside the next kernel's own")
				k.Shutdown(context.Background())
				<-k.end
			}
			for end := time.Now().Add(30 * time.Second); len(g.leftovers()) > 0; time.Sleep(20 * time.Millisecond) {
				must.Need(t, !time.Now().After(end), "left behind: %v", g.leftovers())
			}
		})
	}
}

var attacked = flag.Duration("attacked", 0,
	"how long strangers attack the five sockets of a kernel; by default 3 s, and 10 m with -full")

// Strangers attack all sockets of a kernel over TCP, while its front end goes on with cells. The kernel goes on.
func testStrangers(t *testing.T, g gonb) {
	k := g.tcp(t)
	limit := *attacked
	if limit == 0 {
		limit = time.Duration(fulltest.N(3, 600)) * time.Second
	}
	var at []net.Addr
	for _, port := range k.ports() {
		at = append(at, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: *port})
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cells, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			cells++
			if text, reply := k.run(t, fmt.Sprintf("%d + 1", cells), nil); text != strconv.Itoa(cells+1) {
				t.Errorf("%d + 1 is %q, %+v", cells, text, reply)
				return
			}
			time.Sleep(limit / 300)
		}
	}()
	counts := kerneltest.Attack(ctx, 2, at, 16)
	<-done
	select {
	case err := <-k.end:
		t.Fatalf("the kernel ended: %v; after %v", err, counts)
	default:
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", k.cmd.Process.Pid))
	peak := regexp.MustCompile(`VmHWM:\s*([0-9]+)`).FindSubmatch(status)
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", k.cmd.Process.Pid))
	t.Logf("%v: %v; 0 ends; %d cells beside them; peak memory %s kB, %d open files",
		limit, counts, cells, peak[1], len(files))
	must.Be(t, len(files) <= 200, "%d files are open", len(files))
}
