package zmtp

import (
	"crypto/rand"
	"slices"
	"time"
)

// serve reads what a connection brings until it ends or sends what no peer may send.
func (s *Socket) serve(p *peer) {
	conn, awake := p.conn, make(chan struct{})
	defer close(awake)
	go func() { // a handshake ends with the socket
		select {
		case <-s.closed:
			conn.SetDeadline(time.Now().Add(linger))
		case <-awake:
		}
	}()
	socketType, id, err := shake(conn, s.kind.name, s.limits.Handshake)
	if err != nil || !slices.Contains(s.kind.accepts, socketType) {
		return
	}
	if id == "" || s.kind.name != Router.name {
		id = "\x00" + rand.Text()
	}
	p.id = id
	defer p.close()
	for end := time.Now().Add(succession); !s.join(p); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return
		}
	}
	defer s.part(p)
	s.serving.Go(p.write)
	if s.kind.joined != nil {
		s.kind.joined()
	}
	in := newReader(conn, s.limits.Message, s.budget)
	defer in.done()
	for {
		frames, isCommand, err := in.next()
		if err != nil {
			return
		}
		s.heard(p)
		if isCommand {
			if !s.command(p, frames[0]) {
				return
			}
		} else if !s.kind.message(s, p, frames) {
			return
		}
	}
}

// command obeys a command of a peer; false ends the connection. Commands that it doesn't know change nothing.
func (s *Socket) command(p *peer, body []byte) bool {
	name, rest, ok := cut(body, 1)
	if !ok {
		return false
	}
	switch string(name) {
	case "PING": // its body is a time to live of two bytes, and a context of at most 16 that the answer has
		if len(rest) < 2 || len(rest) > 18 {
			return false
		}
		p.put(appendFrame(nil, command, append([]byte("\x04PONG"), rest[2:]...)), mostPongs)
	case "SUBSCRIBE":
		return s.subscribe(p, string(rest), true)
	case "CANCEL":
		return s.subscribe(p, string(rest), false)
	case "ERROR":
		return false
	}
	return true
}

// join adds a peer. An identity has one peer: who comes second is refused, or it would get the first one's messages.
func (s *Socket) join(p *peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return false
	default:
	}
	if slices.ContainsFunc(s.peers, func(other *peer) bool { return other.id == p.id }) {
		return false
	}
	s.peers = append(s.peers, p)
	return true
}

func (s *Socket) part(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers = slices.DeleteFunc(s.peers, func(other *peer) bool { return other == p })
}
