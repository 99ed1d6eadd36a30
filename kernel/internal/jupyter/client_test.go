package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// printed collects the text of streams.
type printed struct {
	mu   sync.Mutex
	text string
}

func (p *printed) handle(m Message) {
	var s struct{ Text string }
	json.Unmarshal(m.Content, &s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text += s.Text
}

func (p *printed) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

func TestExecute(t *testing.T) {
	c := connect(t, 0)
	for _, test := range []struct{ name, code, printed, err string }{
		{"ok", "print a\nprint b", "ab", ""},
		{"error", "print a\nerror", "a", "ERROR: exit status 2"},
		{"reply after idle", "print a\nreply-late", "a", ""},
		{"nothing printed", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out printed
			reply := must.Get(c.Execute(soon(t), test.code, out.handle))(t)
			must.Equal(t, out.get(), test.printed, "printed")
			got := ""
			if err := reply.Err(); err != nil {
				got = err.Error()
			}
			must.Equal(t, got, test.err)
			must.Be(t, test.err != "" || reply.ExecutionCount == 4,
				"execution count %d, want the fake's 4", reply.ExecutionCount)
		})
	}
}

func TestOutputThatComesLateGoesToItsCell(t *testing.T) {
	c := connect(t, 0)
	var first, second printed
	must.Get(c.Execute(soon(t), "late x", first.handle))(t)
	must.Get(c.Execute(soon(t), "print y", second.handle))(t)
	must.Be(t, first.get() == "x" && second.get() == "y", "first cell %q, second %q", first.get(), second.get())
	for range 3 * lateCells {
		must.Get(c.Execute(soon(t), "", first.handle))(t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	must.Equal(t, len(c.handlers), lateCells+1, "handlers of cells that ended, and of Ready")
}

func TestInterrupt(t *testing.T) {
	c := connect(t, 0)
	verdict := make(chan error, 1)
	go func() {
		reply, err := c.Execute(soon(t), "wait", func(Message) {})
		verdict <- errors.Join(err, reply.Err())
	}()
	must.Do(t, c.Interrupt(soon(t)))
	err := <-verdict
	must.Be(t, err != nil && strings.Contains(err.Error(), "signal: interrupt"), "got %v", err)
}

func TestAsk(t *testing.T) {
	request := map[string]any{"code": "fmt.Pr", "cursor_pos": 6}
	got := must.Get(connect(t, 0).Ask(soon(t), "complete_request", request))(t)
	const want = `"matches":["Println","Printf"]`
	must.Be(t, strings.Contains(string(got), want), "got %s, want %s", got, want)
}

// The first two answers are published to nobody, as happens while a subscription is on its way.
func TestSlowJoiner(t *testing.T) {
	c := connect(t, 3)
	var out printed
	must.Get(c.Execute(soon(t), "print a", out.handle))(t)
	must.Equal(t, out.get(), "a", "printed")
}

func TestReadyTellsDeafFromDead(t *testing.T) {
	conn := must.Get(NewConnection(shortDir(t)))(t)
	f, _ := must.Get2(startFake(conn, 1<<30))(t)
	t.Cleanup(f.close)
	c := must.Get(Dial(soon(t), context.Background(), conn))(t)
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	must.Err(t, c.Ready(ctx), "nothing that it publishes arrives")
}

func TestKernelThatDies(t *testing.T) {
	c := connect(t, 0)
	_, err := c.Execute(soon(t), "print a\ndie", func(Message) {})
	must.Be(t, errors.Is(err, ErrClosed), "got %v, want ErrClosed", err)
}

func TestKernelThatHangs(t *testing.T) {
	c := connect(t, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := c.Execute(ctx, "hang", func(Message) {})
	must.Be(t, errors.Is(err, context.DeadlineExceeded), "got %v, want a deadline", err)
}

func TestDialGivesUp(t *testing.T) {
	conn := must.Get(NewConnection(shortDir(t)))(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, context.Background(), conn)
	must.Be(t, errors.Is(err, context.DeadlineExceeded), "got %v, want a deadline", err)
}

func TestConnectionPathTooLong(t *testing.T) {
	must.Refuse(NewConnection("/"+strings.Repeat("x", 120)))(t, "TMPDIR")
}

// Where there are no Unix sockets, a connection has five ports of this machine that a kernel can take.
func TestConnectionOverTCP(t *testing.T) {
	conn := must.Get(Connection{}.overTCP())(t)
	for _, port := range []int{conn.ShellPort, conn.IOPubPort, conn.StdinPort, conn.ControlPort, conn.HeartbeatPort} {
		network, address := conn.address(port)
		l := must.Get(net.Listen(network, address))(t)
		defer l.Close()
		must.Be(t, strings.HasPrefix(address, "127.0.0.1:") && conn.Endpoint(port) == "tcp://"+address,
			"the address %s of %s", address, conn.Endpoint(port))
	}
}
