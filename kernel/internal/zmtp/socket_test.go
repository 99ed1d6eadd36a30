package zmtp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/expfam/lab/internal/must"
)

// open opens a socket at a free port of this machine.
func open(t *testing.T, kind Kind, limits Limits) *Socket {
	t.Helper()
	s := must.Get(Listen(kind, "tcp", "127.0.0.1:0", NewBudget(64<<20), limits))(t)
	t.Cleanup(s.Close)
	return s
}

type maker = func(context.Context, ...zmq4.Option) zmq4.Socket

// dial connects a socket of another implementation of the protocol.
func dial(t *testing.T, s *Socket, make maker, options ...zmq4.Option) zmq4.Socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	c := make(ctx, options...)
	t.Cleanup(func() { c.Close() })
	must.Do(t, c.Dial("tcp://"+s.Addr().String()))
	return c
}

// beats fails the test unless the socket, an Echo, still serves others.
func beats(t *testing.T, s *Socket, text string) {
	t.Helper()
	c := dial(t, s, zmq4.NewReq)
	must.Do(t, c.Send(zmq4.NewMsgString(text)))
	must.Equal(t, string(must.Get(c.Recv())(t).Bytes()), text)
}

func TestRouter(t *testing.T) {
	s := open(t, Router, Limits{})
	a := dial(t, s, zmq4.NewDealer, zmq4.WithID(zmq4.SocketIdentity("a")))
	b := dial(t, s, zmq4.NewDealer, zmq4.WithID(zmq4.SocketIdentity("b")))
	large := bytes.Repeat([]byte("x"), 300_000)
	for _, c := range []struct {
		from zmq4.Socket
		id   string
	}{{a, "a"}, {b, "b"}} {
		must.Do(t, c.from.SendMulti(zmq4.NewMsgFrom([]byte("1"), nil, large)))
		got, err := s.Receive()
		want := [][]byte{[]byte(c.id), []byte("1"), {}, large}
		if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("%d frames of %q, %v", len(got), got[0], err)
		}
		must.Do(t, s.Send([][]byte{[]byte("nobody"), []byte("lost")}))
		must.Do(t, s.Send([][]byte{got[0], large, []byte("to " + c.id)}))
		want = [][]byte{large, []byte("to " + c.id)}
		m, err := c.from.Recv()
		must.Be(t, err == nil && slices.EqualFunc(m.Frames, want, bytes.Equal), "%d frames, %v", len(m.Frames), err)
	}
}

// What a subscriber gets, by the topics that it named.
func TestPub(t *testing.T) {
	for _, topics := range [][]string{{""}, {"st", "zz"}, {"status"}, {"x"}, {"x", "stream"}} {
		s := open(t, Pub, Limits{})
		c := dial(t, s, zmq4.NewSub)
		for _, topic := range topics {
			must.Do(t, c.SetOption(zmq4.OptionSubscribe, topic))
		}
		want := strings.HasPrefix("status", topics[0])
		awaitSubscribers(t, s, topics[len(topics)-1], 1)
		for _, first := range []string{"status", "x"} {
			must.Do(t, s.Send([][]byte{[]byte(first), []byte("1")}))
		}
		must.Equal(t, (string(must.Get(c.Recv())(t).Bytes()) == "status1"), want, topics)
	}
}

// A connection that has ended, while what it sent is still read, can neither subscribe nor take a subscription away.
func TestEndedPeer(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	p := newPeer(ours, 0)
	must.Be(t, p.subscribe("status", true), "refused before its end")
	p.close()
	for _, on := range []bool{true, false} {
		must.Be(t, !p.subscribe("status", on), "subscribed after its end")
	}
}

// awaitSubscribers waits until so many peers have subscribed to a topic.
func awaitSubscribers(t *testing.T, s *Socket, topic string, count int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		n := 0
		s.mu.Lock()
		for _, p := range s.peers {
			if p.subscribed(topic) {
				n++
			}
		}
		s.mu.Unlock()
		if n == count {
			return
		}
		must.Need(t, !time.Now().After(end), "%d subscribers to %q, want %d", n, topic, count)
	}
}

// frameOf is a frame that claims a size.
func frameOf(flags byte, size uint64, body string) string {
	return string(binary.BigEndian.AppendUint64([]byte{flags | long}, size)) + body
}

func commandOf(body string) string { return string(appendFrame(nil, command, []byte(body))) }

// Each of these peers loses its own connection, and nothing else happens: what zmq4 v0.17.0 dies of, and neighbours.
func TestRefused(t *testing.T) {
	s := open(t, Echo, Limits{Handshake: 300 * time.Millisecond, Message: 1 << 20})
	hello := string(greeting())
	shaken := hello + string(ready("REQ"))
	property := func(name, value string) string {
		b := append([]byte{byte(len(name))}, name...)
		return string(binary.BigEndian.AppendUint32(b, uint32(len(value)))) + value
	}
	for _, c := range []struct{ name, bytes string }{
		{"nothing", ""},
		{"half a greeting", hello[:40]},
		{"another protocol", "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a browser\r\n\r\n"},
		{"zeros", strings.Repeat("\x00", 200)},
		{"an old version", hello[:10] + "\x01" + hello[11:]},
		{"another mechanism", hello[:12] + "CURVE" + hello[17:]},
		{"a message in the place of READY", hello + "\x00\x05hello"},
		{"an empty command", hello + "\x04\x00"},
		{"another command", hello + commandOf("\x05HELLO")},
		{"READY without a type", hello + commandOf("\x05READY")},
		{"READY with an identity alone", hello + commandOf("\x05READY"+property("Identity", "x"))},
		{"READY of a type that cannot be", hello + commandOf("\x05READY"+property("Socket-Type", "SUB"))},
		{"READY that ends in a name", hello + commandOf("\x05READY\x20Socket")},
		{"READY that ends behind a name", hello + commandOf("\x05READY\x0bSocket-Type")},
		{"READY that ends in a size", hello + commandOf("\x05READY\x0bSocket-Type\x00\x00")},
		{"READY that ends in a value", hello + commandOf("\x05READY\x0bSocket-Type\xff\xff\xff\xffREQ")},
		{"READY with a name of no letters", hello + commandOf("\x05READY"+property("", "REQ"))},
		{"READY of 2^63-1 bytes", hello + frameOf(command, 1<<63-1, "\x05READY")},
		{"READY whose name is longer than it", hello + commandOf("\xffREADY")},
		{"a frame of 2^63-1 bytes", shaken + frameOf(0, 1<<63-1, "x")},
		{"a frame of 2^64-1 bytes", shaken + frameOf(0, 1<<64-1, "x")},
		{"a frame of 2^63 bytes", shaken + frameOf(0, 1<<63, "x")},
		{"a frame of a byte more than a message may have", shaken + frameOf(0, 1<<20+1, "x")},
		{"frames that have it together", shaken + strings.Repeat(frameOf(more, 1<<18, strings.Repeat("x", 1<<18)), 4)},
		{"empty frames without end", shaken + strings.Repeat("\x01\x00", 1<<16)},
		{"a command of 2^62 bytes", shaken + frameOf(command, 1<<62, "\x04PING")},
		{"a command of two frames", shaken + "\x05\x05\x04PING"},
		{"a command in a message", shaken + "\x01\x01x\x04\x05\x04PING"},
		{"PING without a time to live", shaken + commandOf("\x04PING")},
		{"reserved bits", shaken + "\x80\x01x"},
		{"ERROR", shaken + commandOf("\x05ERROR\x00")},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := must.Get(net.Dial("tcp", s.Addr().String()))(t)
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			conn.Write([]byte(c.bytes)) // what is refused before its end gives an error
			_, err := io.Copy(io.Discard, conn)
			e, is := err.(net.Error)
			must.Be(t, !is || !e.Timeout(), "the connection stays")
			beats(t, s, c.name)
		})
	}
}

// A claim takes no memory, whoever makes it how often.
func TestBudget(t *testing.T) {
	b := NewBudget(1 << 20)
	for _, c := range []struct {
		name string
		sent int
		ok   bool
	}{{"half of the budget", 1 << 19, true}, {"more than the budget", 1<<20 + 1, false}} {
		near, far := net.Pipe()
		go func() {
			far.Write([]byte(frameOf(0, uint64(c.sent), "")))
			far.Write(make([]byte, c.sent))
		}()
		r := newReader(near, 256<<20, b)
		frames, _, err := r.next()
		must.Be(t, (err == nil) == c.ok && (!c.ok || len(frames[0]) == c.sent), "%s: %v", c.name, err)
		far.Close()
		near.Close()
		if r.done(); b.left != 1<<20 {
			t.Errorf("%s: %d bytes of the budget are left", c.name, b.left)
		}
	}
}

// Peers that say nothing have a bounded number of places, for a bounded time.
func TestSilentPeers(t *testing.T) {
	s := open(t, Echo, Limits{Peers: 8, Handshake: time.Hour})
	var silent []net.Conn
	for range 40 {
		conn := must.Get(net.Dial("tcp", s.Addr().String()))(t)
		defer conn.Close()
		silent = append(silent, conn)
	}
	s.Settle()
	beats(t, s, "a late client") // has the place of a silent one
	places := 0
	for _, conn := range silent { // those without a place are closed
		conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			places++
		}
	}
	must.Be(t, places <= 8, "%d of 40 peers have a place, at most 8", places)
	brief := open(t, Echo, Limits{Peers: 8, Handshake: time.Millisecond})
	for range 40 {
		conn := must.Get(net.Dial("tcp", brief.Addr().String()))(t)
		defer conn.Close()
		io.Copy(io.Discard, conn) // ends, because the other side closes the connection
	}
}

// A peer gets what was sent between its connection and its subscription, behind the welcome, and nothing older.
func TestSentBeforeTheSubscription(t *testing.T) {
	s := open(t, Pub.Welcoming(func(topic string) [][]byte { return [][]byte{[]byte("welcome"), []byte(topic)} }),
		Limits{})
	send := func(text string) { must.Do(t, s.Send([][]byte{[]byte(text)})) }
	wire := func(frames ...string) (all []byte) {
		var bytes [][]byte
		for _, f := range frames {
			bytes = append(bytes, []byte(f))
		}
		return encode(bytes)
	}
	send("b before the connection")
	conn := must.Get(net.Dial("tcp", s.Addr().String()))(t)
	defer conn.Close()
	s.Settle()
	send("a of another topic")
	send("b between")
	conn.Write([]byte(string(greeting()) + string(ready("SUB")) + "\x00\x02\x01b"))
	awaitSubscribers(t, s, "b", 1)
	send("b after")
	want := append(wire("welcome", "b"), append(wire("b between"), wire("b after")...)...)
	got := make([]byte, greetingSize+len(ready("XPUB"))+len(want))
	must.Get(io.ReadFull(conn, got))(t)
	must.Equal(t, string(got[len(got)-len(want):]), string(want))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		kept := len(s.recent.messages)
		s.mu.Unlock()
		if kept == 0 {
			return
		}
		must.Be(t, time.Now().Before(end), "%d messages are kept for nobody", kept)
	}
}

// A subscriber that does not read loses its connection when its queue is full, and one that reads loses nothing.
func TestSubscriberThatDoesNotRead(t *testing.T) {
	s := open(t, Pub, Limits{Queue: 1 << 20, Stall: 200 * time.Millisecond})
	deaf := must.Get(net.Dial("tcp", s.Addr().String()))(t)
	defer deaf.Close()
	deaf.Write([]byte(string(greeting()) + string(ready("SUB")) + "\x00\x01\x01"))
	slow := must.Get(net.Dial("tcp", s.Addr().String()))(t)
	defer slow.Close()
	slow.Write([]byte(string(greeting()) + string(ready("SUB")) + "\x00\x01\x01"))
	go func() { // a byte now and then is no reading
		for b := make([]byte, 1); ; time.Sleep(5 * time.Millisecond) {
			if _, err := slow.Read(b); err != nil {
				return
			}
		}
	}()
	reads := dial(t, s, zmq4.NewSub)
	must.Do(t, reads.SetOption(zmq4.OptionSubscribe, ""))
	awaitSubscribers(t, s, "stream", 3)
	const count, size = 320, 64 << 10 // 20 MB
	got := make(chan int)
	go func() {
		n := 0
		for range count {
			m, err := reads.Recv()
			if err != nil || len(m.Frames) != 2 || len(m.Frames[1]) != size || m.Frames[1][0] != byte(n) {
				break
			}
			n++
		}
		got <- n
	}()
	for i := range count {
		must.Do(t, s.Send([][]byte{[]byte("stream"), bytes.Repeat([]byte{byte(i)}, size)}))
	}
	must.Equal(t, <-got, count, "the other", "messages of")
	awaitSubscribers(t, s, "stream", 1) // the one that reads
}

// Who takes the identity of another gets no messages of it, and who connects again does.
func TestOneIdentity(t *testing.T) {
	s := open(t, Router, Limits{})
	id := zmq4.WithID(zmq4.SocketIdentity("same"))
	ask := func(from zmq4.Socket, text string) { must.Do(t, from.Send(zmq4.NewMsgString(text))) }
	first := dial(t, s, zmq4.NewDealer, id)
	ask(first, "first")
	if m, err := s.Receive(); err != nil || string(m[1]) != "first" {
		t.Fatalf("%q, %v", m, err)
	}
	second := dial(t, s, zmq4.NewDealer, id)
	ask(second, "second")
	time.Sleep(50 * time.Millisecond)
	first.Close() // within the second for which a successor waits
	m, err := s.Receive()
	must.Need(t, err == nil && string(m[1]) == "second", "%q, %v", m, err)
	third := dial(t, s, zmq4.NewDealer, id)
	ask(third, "third")
	must.Do(t, s.Send([][]byte{[]byte("same"), []byte("answer")}))
	must.Equal(t, string(must.Get(second.Recv())(t).Bytes()), "answer")
	if m, err := third.Recv(); err == nil && len(m.Bytes()) > 0 {
		t.Errorf("the third got %q", m)
	}
}

// A killed process leaves its socket, which is no obstacle; another process that listens is.
func TestUnixSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for _, leave := range []bool{true, false} {
		l := must.Get(listen("unix", path))(t)
		must.Refuse(listen("unix", path))(t)
		l.(*net.UnixListener).SetUnlinkOnClose(!leave)
		l.Close()
	}
	if l, err := listen("unix", t.TempDir()); err == nil {
		l.Close()
		t.Error("a folder was replaced")
	}
}

// TestHostileSubscribers: peers that subscribe and cancel without reading have one welcome a topic, and peers that read
// slowly cost others their patience once.
func TestHostileSubscribers(t *testing.T) {
	s := open(t, Pub.Welcoming(func(topic string) [][]byte { return [][]byte{make([]byte, 200), []byte(topic)} }),
		Limits{})
	flood := strings.Repeat("\x00\x03\x01ab\x00\x03\x00ab", 50_000)
	names := new(strings.Builder)
	for i := range 1000 {
		name := string([]byte{byte(i), byte(i >> 8)})
		names.WriteString("\x00\x03\x01" + name + "\x00\x03\x00" + name)
	}
	before, most := resident(), int64(0)
	for k := range 12 {
		conn := must.Get(net.Dial("tcp", s.Addr().String()))(t)
		defer conn.Close()
		text := flood
		if k%2 == 1 {
			text = names.String()
		}
		io.WriteString(conn, string(greeting())+string(ready("SUB"))+text)
	}
	s.Settle()
	pending := func() (sum int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.all {
			sum += p.pending()
		}
		return sum
	}
	// The flood is read within this second, and what it leaves stays below its bound, in queues and in the process.
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		must.Need(t, pending() < 12*mostTopics*300, "%d bytes wait for 12 peers", pending())
		most = max(most, resident())
	}
	t.Logf("resident %d MB before twelve hostile subscribers, %d MB at most beside them", before>>20, most>>20)
	must.Be(t, most-before < 100<<20, "the process grew by %d MB", (most-before)>>20)
	reads := dial(t, s, zmq4.NewSub)
	must.Do(t, reads.SetOption(zmq4.OptionSubscribe, "status"))
	awaitSubscribers(t, s, "status", 1)
	must.Do(t, s.Send([][]byte{[]byte("status"), []byte("1")}))
	for m := must.Get(reads.Recv())(t); string(m.Frames[0]) != "status"; m = must.Get(reads.Recv())(t) {
	}
}

// TestPatience: three peers that read a step now and then delay one that reads by the time for a stall once, and not
// for each step.
func TestPatience(t *testing.T) {
	s := open(t, Pub, Limits{Queue: 1 << 20, Stall: 300 * time.Millisecond})
	for range 3 {
		conn := must.Get(net.Dial("tcp", s.Addr().String()))(t)
		defer conn.Close()
		conn.Write([]byte(string(greeting()) + string(ready("SUB")) + "\x00\x01\x01"))
		go func() {
			for b := make([]byte, 2<<20); ; time.Sleep(150 * time.Millisecond) { // within the time for a step
				if _, err := io.ReadFull(conn, b); err != nil {
					return
				}
			}
		}()
	}
	reads := dial(t, s, zmq4.NewSub)
	must.Do(t, reads.SetOption(zmq4.OptionSubscribe, ""))
	awaitSubscribers(t, s, "stream", 4)
	const count = 1400
	got := make(chan int)
	go func() {
		n := 0
		for ; n < count; n++ {
			if _, err := reads.Recv(); err != nil {
				break
			}
		}
		got <- n
	}()
	start := time.Now()
	for range count { // 90 MB
		must.Do(t, s.Send([][]byte{[]byte("stream"), make([]byte, 64<<10)}))
	}
	must.Equal(t, <-got, count, "messages")
	t.Logf("90 MB beside three slow readers in %.1f s", time.Since(start).Seconds())
	awaitSubscribers(t, s, "stream", 1) // the one that reads
}

// resident returns the bytes of memory that this process has, 0 where the system does not say it.
func resident() int64 {
	var size, pages int64
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		fmt.Sscan(string(text), &size, &pages)
	}
	return pages * int64(os.Getpagesize())
}
