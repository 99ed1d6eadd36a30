package jupyter

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/expfam/lab/kernel/internal/zmtp"
)

// Channel is one of the sockets between a front end and a kernel.
type Channel int

// The channels of the protocol.
const (
	Shell Channel = iota
	Control
	Stdin
	IOPub
	heartbeat
)

// Host is a kernel's side of a connection. Who connects is a stranger until a signature says otherwise, and package
// zmtp bounds what strangers may cost.
type Host struct {
	key     []byte
	session string
	sockets map[Channel]*zmtp.Socket

	mu   sync.Mutex
	seen replays
}

// strangers is the number of bytes that the unfinished messages of all peers of a kernel may have.
const strangers = 512 << 20

// small are the limits of sockets to which nobody has much to say: beats and subscriptions.
var small = zmtp.Limits{Message: 64 << 10}

// Listen opens the sockets of a connection.
func Listen(conn Connection) (*Host, error) {
	h := &Host{key: []byte(conn.Key), session: newID(), sockets: map[Channel]*zmtp.Socket{}}
	budget := zmtp.NewBudget(strangers)
	var iopub *zmtp.Socket
	// A front end that connects to IOPub and then asks gets all that comes of its request.
	asking := zmtp.Router.After(func() { iopub.Settle() })
	for _, c := range []struct {
		channel Channel
		port    int
		kind    zmtp.Kind
		limits  zmtp.Limits
	}{
		{IOPub, conn.IOPubPort, zmtp.Pub.Welcoming(h.welcome), small},
		{Shell, conn.ShellPort, asking, zmtp.Limits{}},
		{Control, conn.ControlPort, asking, zmtp.Limits{}},
		{Stdin, conn.StdinPort, zmtp.Router, zmtp.Limits{}},
		// The front end hears its own beat as long as this process lives.
		{heartbeat, conn.HeartbeatPort, zmtp.Echo, zmtp.Limits{Message: small.Message, Queue: small.Message}},
	} {
		network, address := conn.address(c.port)
		socket, err := zmtp.Listen(c.kind, network, address, budget, c.limits)
		if err != nil {
			h.Close()
			return nil, fmt.Errorf("jupyter: listening on %s: %w", conn.Endpoint(c.port), err)
		}
		if h.sockets[c.channel] = socket; c.channel == IOPub {
			iopub = socket
		}
	}
	return h, nil
}

// welcome makes the message that tells a subscriber that the subscription holds
// (https://jupyter.org/enhancement-proposals/65-jupyter-xpub/jupyter-xpub.html).
func (h *Host) welcome(topic string) [][]byte {
	m, err := NewMessage(h.session, "iopub_welcome", map[string]string{"subscription": topic})
	if err != nil {
		return nil
	}
	m.Identities = [][]byte{[]byte(topic)}
	frames, err := m.Frames(h.key)
	if err != nil {
		return nil
	}
	return frames
}

// Close closes the sockets, as soon as the peers have what was sent to them; those that do not read have a second.
func (h *Host) Close() {
	var closing sync.WaitGroup
	for _, s := range h.sockets {
		closing.Go(s.Close)
	}
	closing.Wait()
}

// Receive waits for the next message on a channel. It drops messages without the right signature, and messages that
// came before: who can read what others send could send it again.
func (h *Host) Receive(channel Channel) (Message, error) {
	for {
		frames, err := h.sockets[channel].Receive()
		if err != nil {
			return Message{}, err
		}
		if m, err := ParseFrames(frames, h.key); err == nil && h.fresh(m) {
			return m, nil
		}
	}
}

// fresh reports whether a message with the right signature is no replay. Without a key there is no signature, and each
// message is fresh.
func (h *Host) fresh(m Message) bool {
	if len(h.key) == 0 {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen.add(m.signature)
}

// Send sends a message to the front end that its identities name, or on IOPub to all.
func (h *Host) Send(channel Channel, m Message) error {
	frames, err := m.Frames(h.key)
	if err != nil {
		return err
	}
	if err := h.sockets[channel].Send(frames); err != nil {
		return fmt.Errorf("jupyter: sending %s: %w", m.Header.Type, err)
	}
	return nil
}

// Reply answers a request on the channel on which it came.
func (h *Host) Reply(channel Channel, request Message, msgType string, content any, metadata map[string]any) error {
	m, err := NewMessage(h.session, msgType, content)
	if err != nil {
		return err
	}
	if metadata != nil {
		if m.Metadata, err = json.Marshal(metadata); err != nil {
			return fmt.Errorf("jupyter: %s: %w", msgType, err)
		}
	}
	m.Identities, m.Parent = request.Identities, request.Header
	return h.Send(channel, m)
}

// Publish sends a message to all front ends because of a request.
func (h *Host) Publish(request Message, msgType string, content any) error {
	m, err := NewMessage(h.session, msgType, content)
	if err != nil {
		return err
	}
	m.Identities, m.Parent = [][]byte{[]byte(msgType)}, request.Header
	return h.Send(IOPub, m)
}
