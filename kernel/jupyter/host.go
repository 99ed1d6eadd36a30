package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/go-zeromq/zmq4"
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

// Host is a kernel's side of a connection.
type Host struct {
	key     []byte
	session string
	sockets map[Channel]zmq4.Socket
	sending map[Channel]*sync.Mutex
	cancel  context.CancelFunc
}

// Listen opens the sockets of a connection.
func Listen(conn Connection) (*Host, error) {
	ctx, cancel := context.WithCancel(context.Background())
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	h := &Host{key: []byte(conn.Key), session: newID(), cancel: cancel, sending: map[Channel]*sync.Mutex{},
		sockets: map[Channel]zmq4.Socket{
			Shell: zmq4.NewRouter(ctx, quiet), Control: zmq4.NewRouter(ctx, quiet), Stdin: zmq4.NewRouter(ctx, quiet),
			IOPub: zmq4.NewPub(ctx, quiet), heartbeat: zmq4.NewRep(ctx, quiet),
		}}
	ports := map[Channel]int{Shell: conn.ShellPort, Control: conn.ControlPort, Stdin: conn.StdinPort, IOPub: conn.IOPubPort,
		heartbeat: conn.HeartbeatPort}
	for channel, socket := range h.sockets {
		h.sending[channel] = &sync.Mutex{}
		if err := socket.Listen(conn.Endpoint(ports[channel])); err != nil {
			h.Close()
			return nil, fmt.Errorf("jupyter: listening on %s: %w", conn.Endpoint(ports[channel]), err)
		}
	}
	go func() { // the front end hears its own beat as long as this process lives
		for {
			beat, err := h.sockets[heartbeat].Recv()
			if err != nil || h.sockets[heartbeat].Send(beat) != nil {
				return
			}
		}
	}()
	return h, nil
}

// Close closes the sockets.
func (h *Host) Close() {
	h.cancel()
	for _, s := range h.sockets {
		s.Close()
	}
}

// Receive waits for the next message on a channel. It drops messages without the right signature.
func (h *Host) Receive(channel Channel) (Message, error) {
	for {
		msg, err := h.sockets[channel].Recv()
		if err != nil {
			return Message{}, err
		}
		if m, err := ParseFrames(msg.Frames, h.key); err == nil {
			return m, nil
		}
	}
}

// Send sends a message to the front end that its identities name, or on IOPub to all.
func (h *Host) Send(channel Channel, m Message) error {
	frames, err := m.Frames(h.key)
	if err != nil {
		return err
	}
	h.sending[channel].Lock()
	defer h.sending[channel].Unlock()
	if err := h.sockets[channel].SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
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
