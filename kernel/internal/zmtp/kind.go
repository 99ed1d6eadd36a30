package zmtp

// Kind is a type of socket.
type Kind struct {
	name    string
	accepts []string // the types of sockets that may connect
	// message takes a message of a peer; false ends the connection.
	message func(s *Socket, p *peer, frames [][]byte) bool
}

var (
	// Router receives messages of many peers, each after a frame with the peer's identity. What it sends goes to the
	// peer whose identity the first frame is, or nowhere.
	Router = Kind{"ROUTER", []string{"DEALER", "REQ", "ROUTER"}, func(s *Socket, p *peer, frames [][]byte) bool {
		select {
		case s.received <- append([][]byte{[]byte(p.id)}, frames...):
			return true
		case <-s.closed:
			return false
		}
	}}
	// Pub sends each message to the peers that have subscribed to the beginning of its first frame.
	Pub = Kind{"PUB", []string{"SUB", "XSUB"}, func(_ *Socket, p *peer, frames [][]byte) bool {
		f := frames[0]
		return len(frames) > 1 || len(f) == 0 || f[0] > 1 || p.subscribe(string(f[1:]), f[0] == 1)
	}}
	// Echo returns each message to the peer that sent it.
	Echo = Kind{"REP", []string{"DEALER", "REQ"}, func(s *Socket, p *peer, frames [][]byte) bool {
		s.give(encode(frames), []*peer{p})
		return true
	}}
)
