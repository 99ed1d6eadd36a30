package zmtp

import (
	"bufio"
	"net"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// peer is one connection, with the messages that wait for it. Sending puts a message into the queue; only the peer's
// own goroutine writes into the connection, which waits as long as the other side does not read.
type peer struct {
	conn net.Conn
	id   string
	gone chan struct{} // closed when the connection is
	once sync.Once

	since   int  // messages that were sent before the peer connected
	greeted bool // it has had a subscription; guarded by the socket's lock
	spoke   bool // it has sent something after the handshake; guarded by the socket's lock
	evicted bool // another connection has its place; guarded by the socket's lock

	mu      sync.Mutex
	queue   [][]byte
	bytes   int // of the queue, with the message that is written now, and the overhead
	taken   int64
	changed chan struct{} // closed, and replaced, when there is more to write, less in the queue, or last is set
	last    bool          // the connection ends after what is in the queue
	topics  map[string]int
	// welcomed are the topics for which the peer has had a welcome. waited is how long senders have waited for it,
	// and not for another peer, until lagged.
	welcomed map[string]bool
	waited   time.Duration
	lagged   time.Time
}

func newPeer(conn net.Conn, since int) *peer {
	return &peer{conn: conn, since: since, gone: make(chan struct{}),
		changed: make(chan struct{}), topics: map[string]int{}, welcomed: map[string]bool{}}
}

func (p *peer) close() {
	p.once.Do(func() {
		close(p.gone)
		p.conn.Close()
		p.mu.Lock()
		held := p.bytes
		p.queue, p.topics, p.welcomed = nil, nil, nil
		p.mu.Unlock()
		if held > 8*step { // what a peer that does not read held goes back at once
			go debug.FreeOSMemory()
		}
	})
}

// welcome reports whether a subscription is the first one to a topic, and whether the peer may have so many.
func (p *peer) welcome(topic string) (first, room bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.welcomed == nil || len(p.welcomed) >= mostTopics && !p.welcomed[topic]:
		return false, false
	case p.welcomed[topic]:
		return false, true
	}
	p.welcomed[topic] = true
	return true, true
}

// pending returns the bytes that wait for the peer.
func (p *peer) pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// change wakes who waits for a change. The caller holds the lock.
func (p *peer) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// put adds a message to the queue, unless it has no room.
func (p *peer) put(message []byte, most int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gone:
		return true
	default:
	}
	if cost := len(message) + overhead; p.bytes == 0 || p.bytes+cost <= most {
		p.queue = append(p.queue, message)
		p.bytes += cost
		p.change()
		return true
	}
	return false
}

// insist adds a message to a queue that had no room as soon as it has, and returns how long that took. A peer that does
// not read in the meantime is closed, and so is one for which senders have waited longer than for others by the time
// for a stall: the others wait with it.
func (p *peer) insist(message []byte, most int, stall time.Duration) time.Duration {
	begin := time.Now()
	for !p.put(message, most) {
		p.mu.Lock()
		enough, left := p.taken+int64(min(step, p.bytes)), stall-p.waited
		p.mu.Unlock()
		if left <= 0 || !p.awaitTaken(enough, time.After(left)) {
			p.close()
			break
		}
	}
	return time.Since(begin)
}

// lag notes that senders have waited for the peer, and not for another one. A twelfth of the time since the last such
// wait is forgiven.
func (p *peer) lag(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.waited = max(0, p.waited-now.Sub(p.lagged)/12) + by
	p.lagged = now
}

// awaitTaken waits until the peer has taken so many bytes. It reports false if time was up before, or the peer left.
func (p *peer) awaitTaken(enough int64, up <-chan time.Time) bool {
	for {
		p.mu.Lock()
		taken, changed := p.taken, p.changed
		p.mu.Unlock()
		if taken >= enough {
			return true
		}
		select {
		case <-changed:
		case <-p.gone:
			return false
		case <-up:
			return false
		}
	}
}

// write writes the queue into the connection, until that ends.
func (p *peer) write() {
	defer p.close()
	out := bufio.NewWriterSize(p.conn, 32<<10)
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			last, changed := p.last, p.changed
			p.mu.Unlock()
			if out.Flush() != nil || last {
				return
			}
			select {
			case <-changed:
			case <-p.gone:
				return
			}
			continue
		}
		message := p.queue[0]
		p.queue[0] = nil
		p.queue = p.queue[1:]
		p.mu.Unlock()
		for n := 0; ; message = message[n:] { // in pieces, by which one sees that the peer reads
			n = min(len(message), 64<<10)
			if _, err := out.Write(message[:n]); err != nil {
				return
			}
			if p.took(n, n == len(message)); n == len(message) {
				break
			}
		}
	}
}

// took notes that bytes of the present message were written, and whether these were its last.
func (p *peer) took(bytes int, last bool) {
	if last {
		bytes += overhead
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= bytes
	p.taken += int64(bytes)
	p.change()
}

// finish ends the connection after what is in the queue.
func (p *peer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = true
	p.change()
}

// subscribe adds a subscription to a topic, or takes one away. It reports whether the peer may have it.
func (p *peer) subscribe(topic string, on bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.topics == nil: // the connection has ended
		return false
	case !on:
		if p.topics[topic]--; p.topics[topic] <= 0 {
			delete(p.topics, topic)
		}
	case len(topic) > longestTopic || len(p.topics) >= mostTopics && p.topics[topic] == 0:
		return false
	default:
		p.topics[topic]++
	}
	return true
}

// subscribed reports whether a message that begins with a frame is for the peer.
func (p *peer) subscribed(frame string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for topic := range p.topics {
		if strings.HasPrefix(frame, topic) {
			return true
		}
	}
	return false
}
