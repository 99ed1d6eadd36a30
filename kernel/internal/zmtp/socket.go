// Package zmtp is the listening side of ZMTP 3.0, ZeroMQ's protocol (https://rfc.zeromq.org/spec/23/), as a kernel of
// Jupyter needs it. Peers are strangers until a signature says otherwise: whatever bytes a peer sends, and whether it
// reads or not, it costs a bounded amount of memory and time, and harms no connection but its own.
package zmtp

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// Socket listens for peers.
type Socket struct {
	kind     Kind
	limits   Limits
	budget   *Budget
	listener net.Listener
	received chan [][]byte
	closed   chan struct{}
	sending  sync.Mutex // one message at a time, so that all peers see one order

	mu      sync.Mutex
	places  int     // peers, and connections amid their handshake
	all     []*peer // with those amid their handshake, the oldest first
	peers   []*peer
	recent  recent
	serving sync.WaitGroup
}

// ErrClosed says that the socket was closed.
var ErrClosed = errors.New("zmtp: the socket is closed")

// Listen opens a socket of a kind at an address of a network of package net, such as tcp or unix.
func Listen(kind Kind, network, address string, budget *Budget, limits Limits) (*Socket, error) {
	listener, err := listen(network, address)
	if err != nil {
		return nil, err
	}
	s := &Socket{kind: kind, limits: limits.orDefaults(), budget: budget, listener: listener,
		received: make(chan [][]byte), closed: make(chan struct{})}
	s.serving.Go(s.accept)
	return s, nil
}

// Addr is where the socket listens.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

func (s *Socket) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			time.Sleep(20 * time.Millisecond)
		case !s.place():
			conn.Close()
		default:
			p := newPeer(conn, s.arrived())
			s.mu.Lock()
			s.all = append(s.all, p)
			s.mu.Unlock()
			s.serving.Go(func() {
				defer s.leave(p)
				defer conn.Close()
				s.serve(p)
			})
		}
	}
}

// place takes a place for a connection: a free one, or that of the peer that is trusted least. This is the oldest
// connection that has sent nothing since its handshake, or has not finished it, and else the peer for which most bytes
// wait, if it lags behind by a step.
func (s *Socket) place() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places < s.limits.Peers {
		s.places++
		return true
	}
	var least *peer
	most := step
	for _, p := range s.all {
		if p.evicted {
			continue
		}
		if !p.spoke {
			least = p
			break
		}
		if n := p.pending(); n >= most {
			least, most = p, n
		}
	}
	if least == nil {
		return false
	}
	least.evicted = true
	least.close()
	return true
}

// heard notes that a peer has sent something after its handshake.
func (s *Socket) heard(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.spoke = true
}

// arrived returns how many messages were sent before a connection.
func (s *Socket) arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent.arrived()
}

func (s *Socket) leave(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !p.evicted {
		s.places--
	}
	s.all = slices.DeleteFunc(s.all, func(other *peer) bool { return other == p })
	if !p.greeted {
		s.recent.done()
	}
}

// Receive waits for the next message of a Router.
func (s *Socket) Receive() ([][]byte, error) {
	select {
	case frames := <-s.received:
		return frames, nil
	case <-s.closed:
		return nil, ErrClosed
	}
}

// Send sends a message of at least one frame to the peers that its first frame names, see [Router] and [Pub]. Send does
// not wait for peers to read, unless the queue of one is full, and then no longer than [Limits.Stall].
func (s *Socket) Send(frames [][]byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	select {
	case <-s.closed:
		return ErrClosed
	default:
	}
	first, router := string(frames[0]), s.kind.name == Router.name
	var to []*peer
	s.mu.Lock()
	for _, p := range s.peers {
		if router && p.id == first || !router && p.subscribed(first) {
			to = append(to, p)
		}
	}
	s.mu.Unlock()
	if router {
		frames = frames[1:]
	}
	message := encode(frames)
	if !router {
		s.mu.Lock()
		s.recent.add(first, message)
		s.mu.Unlock()
	}
	s.give(message, to)
	return nil
}

// give puts a message into the queues of peers.
func (s *Socket) give(message []byte, to []*peer) {
	all := len(to)
	full := slices.DeleteFunc(to, func(p *peer) bool { return p.put(message, s.limits.Queue) })
	if len(full) == 0 {
		return
	}
	waited := make([]time.Duration, len(full))
	var waiting sync.WaitGroup
	for i, p := range full {
		waiting.Go(func() { waited[i] = p.insist(message, s.limits.Queue, s.limits.Stall) })
	}
	waiting.Wait()
	least := slices.Min(waited)
	if len(full) < all {
		least = 0
	}
	for i, p := range full {
		if all > 1 {
			p.lag(waited[i] - least)
		}
	}
}

// Close ends the socket. It waits a moment for peers to take what was sent to them.
func (s *Socket) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return
	default:
		close(s.closed)
	}
	peers := slices.Clone(s.peers)
	s.mu.Unlock()
	s.listener.Close()
	up := time.After(linger)
	for _, p := range peers {
		p.finish()
	}
	for _, p := range peers {
		select {
		case <-p.gone:
		case <-up:
			for _, p := range peers {
				p.close()
			}
		}
	}
	s.serving.Wait()
}
