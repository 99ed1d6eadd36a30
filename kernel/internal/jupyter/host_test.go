package jupyter

import (
	"cmp"
	"context"
	"flag"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

var attacked = flag.Duration("attacked", time.Second, "how long strangers attack a kernel's sockets, on each transport")

// tcpConnection is a connection over ports that were free a moment ago.
func tcpConnection(t *testing.T) Connection {
	t.Helper()
	c := Connection{Transport: "tcp", IP: "127.0.0.1", Key: newID(), SignatureScheme: "hmac-sha256"}
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.ControlPort, &c.HeartbeatPort} {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c
}

// hosted starts a kernel that answers each request, on both transports, and hands it to a test.
func hosted(t *testing.T, test func(t *testing.T, h *Host, conn Connection, got <-chan Message)) {
	for _, transport := range []string{"tcp", "ipc"} {
		t.Run(transport, func(t *testing.T) {
			conn := tcpConnection(t)
			if transport == "ipc" {
				conn = must.Get(NewConnection(shortDir(t)))(t)
			}
			h := must.Get(Listen(conn))(t)
			t.Cleanup(h.Close)
			got := make(chan Message, 100)
			for _, channel := range []Channel{Shell, Control, Stdin} {
				go func() {
					for {
						m, err := h.Receive(channel)
						if err != nil {
							return
						}
						h.Publish(m, "status", map[string]string{"execution_state": "busy"})
						kind := strings.Replace(m.Header.Type, "_request", "_reply", 1)
						h.Reply(channel, m, kind, map[string]string{"status": "ok"}, nil)
						h.Publish(m, "status", map[string]string{"execution_state": "idle"})
						got <- m
					}
				}()
			}
			test(t, h, conn, got)
		})
	}
}

// talks fails the test unless a front end can talk to the kernel on all five sockets.
func talks(t *testing.T, conn Connection) {
	t.Helper()
	c := must.Get(Dial(soon(t), context.Background(), conn))(t)
	defer c.Close()
	if err := c.Ready(soon(t)); err != nil { // shell and iopub
		t.Fatal(err)
	}
	if err := c.Interrupt(soon(t)); err != nil { // control
		t.Error(err)
	}
	ctx := soon(t)
	beat := zmq4.NewReq(ctx)
	defer beat.Close()
	must.Do(t, beat.Dial(conn.Endpoint(conn.HeartbeatPort)))
	must.Do(t, beat.Send(zmq4.NewMsgString("ping")))
	must.Equal(t, string(must.Get(beat.Recv())(t).Bytes()), "ping", "beat")
	stdin := zmq4.NewDealer(ctx)
	defer stdin.Close()
	must.Do(t, stdin.Dial(conn.Endpoint(conn.StdinPort)))
	m := must.Get(NewMessage("s", "input_request", struct{}{}))(t)
	frames := must.Get(m.Frames([]byte(conn.Key)))(t)
	must.Do(t, stdin.SendMulti(zmq4.NewMsgFrom(frames...)))
	answer, err := stdin.Recv()
	must.Be(t, err == nil && len(answer.Frames) >= 6, "stdin %v, %v", answer, err)
}

// Strangers send what they like to all five sockets. The kernel goes on, executes nothing of it, and serves its front
// end.
func TestStrangers(t *testing.T) {
	hosted(t, func(t *testing.T, h *Host, conn Connection, got <-chan Message) {
		var at []net.Addr
		for _, s := range h.sockets {
			at = append(at, s.Addr())
		}
		ctx, cancel := context.WithTimeout(context.Background(), *attacked)
		defer cancel()
		t.Log(kerneltest.Attack(ctx, 1, at, 16))
		select {
		case m := <-got:
			t.Errorf("a stranger's message was taken: %+v", m)
		default:
		}
		talks(t, conn)
	})
}

// Ten of each: silent, amid the greeting, amid a message, and subscribed without reading. All are there while others
// talk.
func TestSilentStrangers(t *testing.T) {
	hosted(t, func(t *testing.T, h *Host, conn Connection, _ <-chan Message) {
		const hello = "\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL"
		shaken := func(kind string) string {
			size := func(n int) string { return string([]byte{byte(n)}) }
			return hello + strings.Repeat("\x00", 64-len(hello)) + "\x04" + size(22+len(kind)) +
				"\x05READY\x0bSocket-Type\x00\x00\x00" + size(len(kind)) + kind
		}
		for channel, s := range h.sockets {
			kind := map[Channel]string{IOPub: "SUB", heartbeat: "REQ"}[channel]
			kind = cmp.Or(kind, "DEALER")
			half, subscription := "\x03\x00\x00\x00\x00\x00\x00\x40\x00half", "\x00\x01\x01"
			for _, text := range []string{"", hello, shaken(kind) + half, shaken(kind) + subscription} {
				for range 10 {
					c := must.Get(net.Dial(s.Addr().Network(), s.Addr().String()))(t)
					defer c.Close()
					must.Get(c.Write([]byte(text)))(t)
				}
			}
		}
		talks(t, conn)
	})
}

// A message that was sent before is not taken again, on whichever channel it comes; one that differs in its id is.
func TestReplay(t *testing.T) {
	hosted(t, func(t *testing.T, h *Host, conn Connection, got <-chan Message) {
		request := func(id string) [][]byte {
			m := must.Get(NewMessage("s", "execute_request", Request{Code: "launch()"}))(t)
			m.Header.ID = id
			return must.Get(m.Frames([]byte(conn.Key)))(t)
		}
		ports := []int{conn.ShellPort, conn.ControlPort, conn.StdinPort}
		var sockets []zmq4.Socket
		for _, port := range ports {
			s := zmq4.NewDealer(soon(t))
			t.Cleanup(func() { s.Close() })
			must.Do(t, s.Dial(conn.Endpoint(port)))
			sockets = append(sockets, s)
		}
		send := func(s zmq4.Socket, frames [][]byte) { must.Do(t, s.SendMulti(zmq4.NewMsgFrom(frames...))) }
		first := request("first")
		send(sockets[0], first)
		m := <-got
		must.Need(t, m.Header.ID == "first", "got %+v", m)
		for _, s := range sockets {
			routed := append([][]byte{[]byte("another route")}, first...)
			for _, again := range [][][]byte{first, routed, append(first, []byte("a buffer"))} {
				send(s, again)
			}
			send(s, request("another"))
			must.Equal(t, (<-got).Header.ID, "another", "again")
		}
	})
}

// The number of messages that are remembered is bounded, and the last ones are.
func TestReplays(t *testing.T) {
	var r replays
	const count = 5*mostReplays/2 + 3
	for i := range count {
		must.Need(t, r.add(strconv.Itoa(i)), "message %d is none of those before", i)
		must.Need(t, i%1000 != 0 || len(r.now)+len(r.before) <= 2*mostReplays,
			"%d messages are remembered", len(r.now)+len(r.before))
	}
	for _, i := range []int{count - 1, count - 2, count - mostReplays} {
		must.Be(t, !r.add(strconv.Itoa(i)), "message %d of %d was forgotten", i, count)
	}
}

// Sockets are for the owner alone, wherever the connection file puts them.
func TestSocketModes(t *testing.T) {
	conn := must.Get(NewConnection(shortDir(t)))(t)
	for range 2 { // a second kernel at the same place, as after a restart
		h := must.Get(Listen(conn))(t)
		for port := range 5 {
			_, path := conn.address(port + 1)
			must.Equal(t, must.Get(os.Stat(path))(t).Mode().Perm(), 0o600, path, "mode")
		}
		h.Close()
	}
}
