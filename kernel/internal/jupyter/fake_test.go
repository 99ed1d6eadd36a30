package jupyter

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/expfam/lab/internal/must"
)

// fake is a kernel that says and does what its code tells it, one word a line:
//
//	print X    display X    error    reply-late    late X    wait    die    hang
type fake struct {
	conn      Connection
	deaf      int // number of requests before what it publishes gets through, as with a slow joiner
	shell     zmq4.Socket
	control   zmq4.Socket
	iopub     zmq4.Socket
	interrupt chan struct{}
	stop      context.CancelFunc
	mu        sync.Mutex
}

func startFake(conn Connection, deaf int) (*fake, context.Context, error) {
	ctx, stop := context.WithCancel(context.Background())
	f := &fake{conn: conn, deaf: deaf, interrupt: make(chan struct{}, 1), stop: stop,
		shell: zmq4.NewRouter(ctx), control: zmq4.NewRouter(ctx), iopub: zmq4.NewPub(ctx)}
	for port, socket := range map[int]zmq4.Socket{conn.ShellPort: f.shell, conn.ControlPort: f.control,
		conn.IOPubPort: f.iopub} {
		if err := socket.Listen(conn.Endpoint(port)); err != nil {
			stop()
			return nil, nil, err
		}
	}
	go f.serve(f.shell)
	go f.serve(f.control)
	return f, ctx, nil
}

func (f *fake) close() {
	f.stop()
	for _, s := range []zmq4.Socket{f.shell, f.control, f.iopub} {
		s.Close()
	}
}

func (f *fake) serve(socket zmq4.Socket) {
	for {
		msg, err := socket.Recv()
		if err != nil {
			return
		}
		m, err := ParseFrames(msg.Frames, []byte(f.conn.Key))
		if err != nil {
			continue
		}
		switch m.Header.Type {
		case "kernel_info_request":
			f.deaf--
			f.publish(m, "status", `{"execution_state":"busy"}`)
			f.reply(m, `{"implementation":"fake","language_info":{"name":"go"}}`)
			f.publish(m, "status", `{"execution_state":"idle"}`)
		case "interrupt_request":
			f.interrupt <- struct{}{}
			f.reply(m, `{"status":"ok"}`)
		case "complete_request":
			f.reply(m, `{"matches":["Println","Printf"],"cursor_start":4,"cursor_end":6}`)
		case "shutdown_request":
			f.reply(m, `{"status":"ok"}`)
			time.Sleep(20 * time.Millisecond) // the reply has to leave first
			f.close()
		case "execute_request":
			f.execute(m)
		}
	}
}

func (f *fake) execute(m Message) {
	var request struct{ Code string }
	if json.Unmarshal(m.Content, &request) != nil {
		return
	}
	f.publish(m, "status", `{"execution_state":"busy"}`)
	verdict, late := `{"status":"ok","execution_count":4}`, ""
	idleFirst := false
	for line := range strings.Lines(request.Code) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "print":
			f.publish(m, "stream", `{"name":"stdout","text":"`+rest+`"}`)
		case "error":
			verdict = `{"status":"error","ename":"ERROR","evalue":"exit status 2","traceback":["t"]}`
		case "reply-late":
			idleFirst = true
		case "late":
			late = rest
		case "wait":
			<-f.interrupt
			verdict = `{"status":"error","ename":"ERROR","evalue":"signal: interrupt"}`
		case "die":
			f.close()
			return
		case "exit":
			os.Stderr.WriteString("fatal: the fake kernel was told to\n")
			os.Exit(3)
		case "hang":
			return
		}
	}
	if !idleFirst {
		f.reply(m, verdict)
		time.Sleep(10 * time.Millisecond) // let the reply overtake
	}
	f.publish(m, "status", `{"execution_state":"idle"}`)
	if idleFirst {
		time.Sleep(10 * time.Millisecond)
		f.reply(m, verdict)
	}
	if late != "" {
		time.Sleep(10 * time.Millisecond)
		f.publish(m, "stream", `{"name":"stdout","text":"`+late+`"}`)
	}
}

func (f *fake) send(socket zmq4.Socket, to Message, msgType, content string, identities [][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := Message{Identities: identities, Header: Header{ID: newID(), Type: msgType}, Parent: to.Header,
		Content: json.RawMessage(content)}
	frames, err := m.Frames([]byte(f.conn.Key))
	if err == nil {
		socket.SendMulti(zmq4.NewMsgFrom(frames...))
	}
}

// reply answers on the shell channel, also what came on the control channel: GoNB does so.
func (f *fake) reply(to Message, content string) {
	f.send(f.shell, to, strings.Replace(to.Header.Type, "_request", "_reply", 1), content, to.Identities)
}

func (f *fake) publish(to Message, msgType, content string) {
	if f.deaf > 0 {
		return
	}
	f.send(f.iopub, to, msgType, content, nil)
}

// shortDir is a folder whose path is short enough for sockets; t.TempDir isn't.
func shortDir(t *testing.T) string {
	dir := must.Get(os.MkdirTemp("", "k"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// connect starts a fake kernel and a client of it.
func connect(t *testing.T, deaf int) *Client {
	t.Helper()
	conn := must.Get(NewConnection(shortDir(t)))(t)
	f, _ := must.Get2(startFake(conn, deaf))(t)
	t.Cleanup(f.close)
	c := must.Get(Dial(soon(t), context.Background(), conn))(t)
	t.Cleanup(c.Close)
	must.Do(t, c.Ready(soon(t)))
	return c
}

// soon is a context that ends long after everything here should have, and before a test run is stuck.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
