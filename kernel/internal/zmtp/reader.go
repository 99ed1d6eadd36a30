package zmtp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

// reader reads the messages of a peer. It believes no size before the bytes are there.
type reader struct {
	conn   net.Conn
	in     *bufio.Reader
	most   int // bytes of a message
	budget *Budget
	held   int  // bytes of the budget that the present message has
	idle   bool // between two messages, where silence may last
}

func newReader(conn net.Conn, most int, budget *Budget) *reader {
	r := &reader{conn: conn, most: most, budget: budget}
	r.in = bufio.NewReaderSize(r, 16<<10)
	return r
}

// Read reads from the connection, for the buffer.
func (r *reader) Read(p []byte) (int, error) {
	var until time.Time
	if !r.idle {
		until = time.Now().Add(silence)
	}
	if err := r.conn.SetReadDeadline(until); err != nil {
		return 0, err
	}
	return r.conn.Read(p)
}

// next waits for a message or a command, which has one frame, and returns its frames. Their bytes are taken from the
// budget until done or the following call of next.
func (r *reader) next() (frames [][]byte, isCommand bool, err error) {
	r.done()
	r.idle = true
	flags, err := r.in.ReadByte()
	r.idle = false
	for err == nil {
		if flags&^(more|long|command) != 0 {
			return nil, false, fmt.Errorf("zmtp: a frame with the reserved bits %08b", flags)
		}
		if flags&command != 0 && (flags&more != 0 || len(frames) > 0) {
			return nil, false, errors.New("zmtp: a command in the middle of a message")
		}
		if len(frames) == mostFrames {
			return nil, false, fmt.Errorf("zmtp: a message of more than %d frames", mostFrames)
		}
		var body []byte
		if body, err = r.body(flags&long != 0); err != nil {
			return nil, false, err
		}
		frames = append(frames, body)
		if flags&more == 0 {
			return frames, flags&command != 0, nil
		}
		flags, err = r.in.ReadByte()
	}
	return nil, false, err
}

// done gives back what the present message has of the budget.
func (r *reader) done() {
	r.budget.give(r.held)
	r.held = 0
}

// body reads the size of a frame and its bytes. Memory grows with the bytes that came.
func (r *reader) body(long bool) ([]byte, error) {
	digits := make([]byte, 8)
	at := digits[7:]
	if long {
		at = digits
	}
	if _, err := io.ReadFull(r.in, at); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint64(digits)
	if size > uint64(max(0, r.most-r.held-overhead)) {
		return nil, fmt.Errorf("zmtp: a message of more than %d bytes", r.most)
	}
	if err := r.take(overhead); err != nil {
		return nil, err
	}
	var body []byte
	for len(body) < int(size) {
		n := min(int(size)-len(body), max(64<<10, len(body)))
		if err := r.take(n); err != nil {
			return nil, err
		}
		body = slices.Grow(body, n)[:len(body)+n]
		if _, err := io.ReadFull(r.in, body[len(body)-n:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

func (r *reader) take(bytes int) error {
	if !r.budget.take(bytes) {
		return errors.New("zmtp: the unfinished messages of all peers have too many bytes")
	}
	r.held += bytes
	return nil
}

// encode returns a message on the wire.
func encode(frames [][]byte) []byte {
	size := 0
	for _, f := range frames {
		size += 9 + len(f)
	}
	out := make([]byte, 0, size)
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = more
		}
		out = appendFrame(out, flags, f)
	}
	return out
}

func appendFrame(to []byte, flags byte, body []byte) []byte {
	if len(body) > 255 {
		to = binary.BigEndian.AppendUint64(append(to, flags|long), uint64(len(body)))
	} else {
		to = append(to, flags, byte(len(body)))
	}
	return append(to, body...)
}
