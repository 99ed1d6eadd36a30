package kerneltest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Counts says what an attack did.
type Counts struct{ Connections, Bytes, Refused atomic.Int64 }

func (c *Counts) String() string {
	return fmt.Sprintf("%d connections, %d bytes sent, %d closed by the kernel",
		c.Connections.Load(), c.Bytes.Load(), c.Refused.Load())
}

// Attack connects to addresses of a network, on so many goroutines at once, until ctx ends. It sends bytes by chance,
// and the words of ZMTP and of Jupyter's messages in wrong orders, with wrong sizes, cut off, or never ended. seed
// chooses what is sent.
func Attack(ctx context.Context, seed uint64, at []net.Addr, goroutines int) *Counts {
	counts := new(Counts)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := uint64(0); ctx.Err() == nil; i++ {
				draw := rand.New(rand.NewPCG(seed, uint64(g)<<32|i))
				counts.connect(draw, at[draw.IntN(len(at))])
			}
		})
	}
	all.Wait()
	return counts
}

func (c *Counts) connect(draw *rand.Rand, to net.Addr) {
	conn, err := net.Dial(to.Network(), to.String())
	if err != nil { // the kernel's queue of connections is full, or the kernel has ended, which the test will see
		time.Sleep(10 * time.Millisecond)
		return
	}
	defer conn.Close()
	c.Connections.Add(1)
	conn.SetDeadline(time.Now().Add(time.Second))
	reads := draw.IntN(3) == 0
	for _, piece := range pieces(draw) {
		n, err := conn.Write(piece)
		c.Bytes.Add(int64(n))
		if err != nil {
			c.Refused.Add(1)
			return
		}
		if reads {
			conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if n, err := conn.Read(make([]byte, 4096)); n == 0 && err != nil {
				if e, is := err.(net.Error); !is || !e.Timeout() {
					c.Refused.Add(1)
					return
				}
			}
		}
	}
	if draw.IntN(20) == 0 { // stays for a while, and says nothing more
		time.Sleep(time.Duration(draw.IntN(200)) * time.Millisecond)
	}
}

// pieces returns what one peer sends.
func pieces(draw *rand.Rand) (all [][]byte) {
	if draw.IntN(20) == 0 {
		return [][]byte{noise(draw, 300)}
	}
	all = append(all, greeting(draw))
	if draw.IntN(20) == 0 {
		return append(all, noise(draw, 5))
	}
	all = append(all, ready(draw))
	for range draw.IntN(6) {
		all = append(all, message(draw))
	}
	for i, p := range all {
		switch draw.IntN(40) {
		case 0: // cut off
			all[i] = p[:draw.IntN(len(p)+1)]
		case 1: // a bit that is wrong
			if len(p) > 0 {
				p[draw.IntN(len(p))] ^= 1 << draw.IntN(8)
			}
		case 2:
			all[i] = noise(draw, 40)
		}
	}
	return all
}

func noise(draw *rand.Rand, most int) []byte {
	b := make([]byte, draw.IntN(most+1))
	for i := range b {
		b[i] = byte(draw.Uint32())
	}
	return b
}

// one returns one of the choices, the first of which is the right one and comes half of the time.
func one[T any](draw *rand.Rand, choices ...T) T {
	if draw.IntN(2) == 0 {
		return choices[0]
	}
	return choices[draw.IntN(len(choices))]
}

func greeting(draw *rand.Rand) []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	g[11] = one(draw, byte(0), 1, 255)
	copy(g[12:], one(draw, "NULL", "NULL", "NULL", "PLAIN", "CURVE", "\xff\xff"))
	g[32] = one(draw, byte(0), 1, 7)
	if draw.IntN(30) == 0 {
		g[draw.IntN(12)] = byte(draw.Uint32())
	}
	return g
}

// sizes are what a frame may claim, besides the truth.
var sizes = []uint64{1<<63 - 1, 1<<64 - 1, 1 << 63, 1 << 40, 1<<31 - 1, 1 << 32, 256<<20 + 1, 256 << 20, 1 << 20, 0, 1}

// frame returns a frame, one in thirty with another size than its own.
func frame(draw *rand.Rand, flags byte, body []byte) []byte {
	size, isLong := uint64(len(body)), len(body) > 255 || draw.IntN(10) == 0
	if draw.IntN(30) == 0 {
		size, isLong = sizes[draw.IntN(len(sizes))], true
	}
	if draw.IntN(60) == 0 {
		flags ^= byte(draw.Uint32())
	}
	if isLong {
		return append(binary.BigEndian.AppendUint64([]byte{flags | 2}, size), body...)
	}
	return append([]byte{flags, byte(size)}, body...)
}

func property(draw *rand.Rand, name, value string) []byte {
	right, size := uint32(len(value)), byte(len(name))
	length := one(draw, right, right, right, right, 1<<32-1, 1<<31)
	b := append([]byte{one(draw, size, size, size, 255, 0)}, name...)
	return append(binary.BigEndian.AppendUint32(b, length), value...)
}

func ready(draw *rand.Rand) []byte {
	body := []byte("\x05READY")
	if draw.IntN(10) > 0 {
		kind := one(draw, "DEALER", "SUB", "REQ", "REQ", "SUB", "ROUTER", "XSUB", "PUB", "", "\x00")
		body = append(body, property(draw, one(draw, "Socket-Type", "socket-type", "Socket-Typ"), kind)...)
	}
	for range draw.IntN(3) {
		value := one(draw, "", "a", "\x00\x00", string(noise(draw, 300)))
		body = append(body, property(draw, one(draw, "Identity", "X-Other"), value)...)
	}
	body = one(draw, body, body, body, []byte("\x04PING\x00\x00"), []byte("\x05READY"), nil)
	return frame(draw, one(draw, byte(4), 4, 4, 0, 5), body)
}

// message returns a subscription, a command, a beat, or a message of Jupyter without the right signature.
func message(draw *rand.Rand) (out []byte) {
	switch draw.IntN(8) {
	case 0:
		return frame(draw, 0, append([]byte{one(draw, byte(1), 0, 2)}, noise(draw, 20)...))
	case 1:
		words := one(draw,
			"\x04PING\x00\x00ctx", "\x04PING", "\x09SUBSCRIBEx", "\x06CANCEL", "\x05ERROR\x02no", "\xffx", "")
		return frame(draw, 4, []byte(words))
	case 2:
		return append(frame(draw, 1, nil), frame(draw, 0, []byte("ping"))...)
	case 3:
		for range draw.IntN(2000) {
			out = append(out, 1, 0)
		}
		return append(out, 0, 0)
	}
	parts := [][]byte{[]byte("<IDS|MSG>"), []byte("00112233"),
		[]byte(`{"msg_id":"a","msg_type":"execute_request","session":"s","username":"u","date":"","version":"5.3"}`),
		[]byte("{}"), []byte("{}"), []byte(`{"code":"panic(1)","silent":false}`)}
	if draw.IntN(3) == 0 {
		wrong := one(draw, nil, []byte("<IDS|MSG"), noise(draw, 100), []byte(`{"a":`), make([]byte, draw.IntN(1<<18)))
		parts[draw.IntN(len(parts))] = wrong
	}
	if draw.IntN(4) == 0 {
		parts = parts[draw.IntN(len(parts)):]
	}
	for i, p := range parts {
		out = append(out, frame(draw, one(draw, boolByte(i < len(parts)-1), 1, 0), p)...)
	}
	return out
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
