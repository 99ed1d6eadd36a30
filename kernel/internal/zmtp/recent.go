package zmtp

import "net"

// recent is what a publisher has sent while a peer that had connected had no subscription yet. A peer subscribes after
// the handshake, and may have asked on another socket for what is sent in the meantime.
type recent struct {
	waiting  int       // connections without a subscription so far
	messages []sending // since the first of these, as far as there is room
	bytes    int
	count    int // messages sent since the socket was opened
}

// sending is a message on the wire, with the topic that its first frame begins with.
type sending struct {
	number  int
	topic   string
	message []byte
}

// mostRecent is the largest number of bytes that recent messages may have. The oldest go first.
const mostRecent = 4 << 20

func (r *recent) add(topic string, message []byte) {
	r.count++
	if r.waiting == 0 {
		return
	}
	r.messages = append(r.messages, sending{r.count, topic, message})
	for r.bytes += len(message) + overhead; r.bytes > mostRecent; r.messages = r.messages[1:] {
		r.bytes -= len(r.messages[0].message) + overhead
	}
}

// arrived notes that a connection waits for its subscription, and returns the number of messages before.
func (r *recent) arrived() int {
	r.waiting++
	return r.count
}

// done notes that a connection waits no longer.
func (r *recent) done() {
	if r.waiting--; r.waiting == 0 {
		r.messages, r.bytes = nil, 0
	}
}

// subscribe obeys a peer. The first subscription to a topic is answered by the welcome of the socket's kind, and the
// first one at all by what was sent since the peer connected. It reports whether the peer may have the subscription.
func (s *Socket) subscribe(p *peer, topic string, on bool) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	if !p.subscribe(topic, on) {
		return false
	}
	if !on {
		return true
	}
	if s.kind.welcome != nil {
		first, room := p.welcome(topic)
		if !room {
			return false
		}
		if first {
			p.put(encode(s.kind.welcome(topic)), s.limits.Queue)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.greeted {
		return true
	}
	p.greeted = true
	for _, m := range s.recent.messages {
		if m.number > p.since && p.subscribed(m.topic) {
			p.put(m.message, s.limits.Queue)
		}
	}
	s.recent.done()
	return true
}

// Settle returns when every connection that was made before has its place, even where this process has not come to it.
func (s *Socket) Settle() {
	conn, err := net.Dial(s.Addr().Network(), s.Addr().String())
	if err != nil {
		return
	}
	defer conn.Close()
	conn.Read(make([]byte, 1)) // the greeting, which comes after those of earlier connections have their place
}
