package zmtp

// Kind is a type of socket.
type Kind struct {
	name    string
	accepts []string // the types of sockets that may connect
	// message takes a message of a peer; false ends the connection.
	message func(s *Socket, p *peer, frames [][]byte) bool
	joined  func()                      // is called before the first message of a peer is taken; may be nil
	welcome func(topic string) [][]byte // makes the first message after a subscription; may be nil
}

// After returns a kind of socket that calls a function for each peer before it takes the peer's first message.
func (k Kind) After(joined func()) Kind {
	k.joined = joined
	return k
}

// Welcoming returns a kind of socket that answers each subscription with a message, which only the peer gets.
func (k Kind) Welcoming(welcome func(topic string) [][]byte) Kind {
	k.welcome = welcome
	return k
}

var (
	// Router receives messages of many peers, each after a frame with the peer's identity. What it sends goes to the
	// peer whose identity the first frame is, or nowhere.
	Router = Kind{name: "ROUTER", accepts: []string{"DEALER", "REQ", "ROUTER"},
		message: func(s *Socket, p *peer, frames [][]byte) bool {
			select {
			case s.received <- append([][]byte{[]byte(p.id)}, frames...):
				return true
			case <-s.closed:
				return false
			}
		}}
	// Pub sends each message to the peers that have subscribed to the beginning of its first frame. With its first
	// subscription a peer gets also what was sent since it connected. It sees subscriptions, as an XPUB does.
	Pub = Kind{name: "XPUB", accepts: []string{"SUB", "XSUB"}, message: func(s *Socket, p *peer, frames [][]byte) bool {
		f := frames[0]
		return len(frames) > 1 || len(f) == 0 || f[0] > 1 || s.subscribe(p, string(f[1:]), f[0] == 1)
	}}
	// Echo returns each message to the peer that sent it.
	Echo = Kind{name: "REP", accepts: []string{"DEALER", "REQ"},
		message: func(s *Socket, p *peer, frames [][]byte) bool {
			s.give(encode(frames), []*peer{p})
			return true
		}}
)
