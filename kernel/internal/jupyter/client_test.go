package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
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
			reply, err := c.Execute(soon(t), test.code, out.handle)
			if err != nil {
				t.Fatal(err)
			}
			if got := out.get(); got != test.printed {
				t.Errorf("printed %q, want %q", got, test.printed)
			}
			got := ""
			if err := reply.Err(); err != nil {
				got = err.Error()
			}
			if got != test.err {
				t.Errorf("error %q, want %q", got, test.err)
			}
			if test.err == "" && reply.ExecutionCount != 4 {
				t.Errorf("execution count %d, want the fake's 4", reply.ExecutionCount)
			}
		})
	}
}

func TestOutputThatComesLateGoesToItsCell(t *testing.T) {
	c := connect(t, 0)
	var first, second printed
	if _, err := c.Execute(soon(t), "late x", first.handle); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Execute(soon(t), "print y", second.handle); err != nil {
		t.Fatal(err)
	}
	if first.get() != "x" || second.get() != "y" {
		t.Errorf("first cell %q, second %q", first.get(), second.get())
	}
}

func TestInterrupt(t *testing.T) {
	c := connect(t, 0)
	verdict := make(chan error, 1)
	go func() {
		reply, err := c.Execute(soon(t), "wait", func(Message) {})
		verdict <- errors.Join(err, reply.Err())
	}()
	if err := c.Interrupt(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := <-verdict; err == nil || !strings.Contains(err.Error(), "signal: interrupt") {
		t.Errorf("got %v", err)
	}
}

func TestComplete(t *testing.T) {
	got, err := connect(t, 0).Complete(soon(t), "fmt.Pr", 6)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got.Matches, " ") != "Println Printf" || got.Start != 4 || got.End != 6 {
		t.Errorf("got %+v", got)
	}
}

// The first two answers are published to nobody, as happens while a subscription is on its way.
func TestSlowJoiner(t *testing.T) {
	c := connect(t, 3)
	var out printed
	if _, err := c.Execute(soon(t), "print a", out.handle); err != nil {
		t.Fatal(err)
	}
	if out.get() != "a" {
		t.Errorf("printed %q", out.get())
	}
}

func TestReadyTellsDeafFromDead(t *testing.T) {
	conn, err := NewConnection(shortDir(t))
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := startFake(conn, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	c, err := Dial(soon(t), context.Background(), conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	if _, err := c.Ready(ctx); err == nil || !strings.Contains(err.Error(), "nothing that it publishes arrives") {
		t.Errorf("got %v", err)
	}
}

func TestKernelThatDies(t *testing.T) {
	c := connect(t, 0)
	if _, err := c.Execute(soon(t), "print a\ndie", func(Message) {}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestKernelThatHangs(t *testing.T) {
	c := connect(t, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Execute(ctx, "hang", func(Message) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline", err)
	}
}

func TestDialGivesUp(t *testing.T) {
	conn, err := NewConnection(shortDir(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, context.Background(), conn); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline", err)
	}
}

func TestConnectionPathTooLong(t *testing.T) {
	_, err := NewConnection("/" + strings.Repeat("x", 120))
	if err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got %v", err)
	}
}
