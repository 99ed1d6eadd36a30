package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Client is connected to one kernel. Its methods may be called from several goroutines.
type Client struct {
	key     []byte
	session string
	shell   zmq4.Socket
	control zmq4.Socket
	iopub   zmq4.Socket
	cancel  context.CancelFunc
	ctx     context.Context

	mu       sync.Mutex
	replies  map[string]chan Message  // by id of the request
	handlers map[string]func(Message) // by id of the request: gets what the kernel publishes because of it
	idle     []string                 // ids of requests that ended and have a handler for what comes late
	stdin    zmq4.Socket              // nil unless this is a relay
	relay    func(Channel, Message)   // nil unless this is a relay
}

// Dial connects to a kernel that is starting: it tries until the kernel listens or ctx ends. The connection lasts until
// Close or until alive ends, whichever comes first; calls that wait then return ErrClosed.
func Dial(ctx, alive context.Context, conn Connection) (*Client, error) {
	return DialRelay(ctx, alive, conn, nil)
}

// DialRelay is Dial for a program that stands between a kernel and its front end. Messages of the kernel that no
// request of the client itself has caused go to relay, which several goroutines call. Forward sends messages the other
// way.
func DialRelay(ctx, alive context.Context, conn Connection, relay func(Channel, Message)) (*Client, error) {
	c := &Client{
		key: []byte(conn.Key), session: newID(), relay: relay,
		replies: map[string]chan Message{}, handlers: map[string]func(Message){},
	}
	c.ctx, c.cancel = context.WithCancel(alive)
	stop := context.AfterFunc(ctx, c.cancel)
	options := []zmq4.Option{
		// GoNB answers on the shell channel what it was asked on the control channel, so both need the same identity.
		zmq4.WithID(zmq4.SocketIdentity(c.session)),
		zmq4.WithDialerRetry(20 * time.Millisecond), zmq4.WithDialerMaxRetries(-1),
		zmq4.WithLogger(log.New(io.Discard, "", 0)),
	}
	c.shell = zmq4.NewDealer(c.ctx, options...)
	c.control = zmq4.NewDealer(c.ctx, options...)
	c.iopub = zmq4.NewSub(c.ctx, options...)
	if relay != nil {
		c.stdin = zmq4.NewDealer(c.ctx, options...)
	}
	dialed := make(chan error, 1)
	go func() { dialed <- c.dial(conn) }() // a kernel that hangs amid the handshake must not outlast ctx
	var err error
	select {
	case err = <-dialed:
	case <-c.ctx.Done():
		if err = ctx.Err(); err == nil {
			err = ErrClosed
		}
	}
	stop()
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("jupyter: connecting to the kernel: %w", err)
	}
	go c.receive(c.shell, c.reply)
	go c.receive(c.control, c.reply)
	go c.receive(c.iopub, c.publish)
	if relay != nil {
		go c.receive(c.stdin, func(m Message) { relay(Stdin, m) })
	}
	return c, nil
}

func (c *Client) dial(conn Connection) error {
	if err := c.iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return err
	}
	for _, s := range []struct {
		zmq4.Socket
		port int
	}{{c.iopub, conn.IOPubPort}, {c.shell, conn.ShellPort}, {c.stdin, conn.StdinPort}, {c.control, conn.ControlPort}} {
		if s.Socket == nil {
			continue
		}
		if err := s.Dial(conn.Endpoint(s.port)); err != nil {
			return err
		}
	}
	return nil
}

// Forward sends a front end's message to the kernel as it is.
func (c *Client) Forward(channel Channel, m Message) error {
	m.Identities = nil
	frames, err := m.Frames(c.key)
	if err != nil {
		return err
	}
	socket := map[Channel]zmq4.Socket{Shell: c.shell, Control: c.control, Stdin: c.stdin}[channel]
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		return fmt.Errorf("jupyter: forwarding %s: %w", m.Header.Type, err)
	}
	return nil
}

// ErrClosed says that the kernel ended, or the connection was closed, before it answered.
var ErrClosed = errors.New("jupyter: the kernel ended before it answered")

// Close ends the connection. The kernel goes on.
func (c *Client) Close() {
	c.cancel()
	for _, s := range []zmq4.Socket{c.shell, c.control, c.iopub, c.stdin} {
		if s != nil {
			s.Close()
		}
	}
}

func (c *Client) receive(socket zmq4.Socket, deliver func(Message)) {
	for c.ctx.Err() == nil {
		msg, err := socket.Recv()
		if err != nil {
			c.cancel() // a kernel doesn't come back, and nothing else would wake who waits for it
			return
		}
		if m, err := ParseFrames(msg.Frames, c.key); err == nil { // a message that isn't signed is dropped
			deliver(m)
		}
	}
}

func (c *Client) reply(m Message) {
	c.mu.Lock()
	ch := c.replies[m.Parent.ID]
	delete(c.replies, m.Parent.ID)
	c.mu.Unlock()
	if ch != nil {
		ch <- m
	} else if c.relay != nil {
		c.relay(Shell, m)
	}
}

func (c *Client) publish(m Message) {
	c.mu.Lock()
	handle := c.handlers[m.Parent.ID]
	c.mu.Unlock()
	if handle != nil {
		handle(m)
	} else if c.relay != nil {
		c.relay(IOPub, m)
	}
}

// lateCells is the number of cells that have ended and whose late output still goes to their handlers.
const lateCells = 16

// end notes that a request has ended. A kernel may execute cells for weeks, so old handlers are forgotten.
func (c *Client) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle = append(c.idle, id); len(c.idle) > lateCells {
		delete(c.handlers, c.idle[0])
		c.idle = c.idle[1:]
	}
}

// send sends a request and returns the channel on which its reply will come.
func (c *Client) send(socket zmq4.Socket, msgType string, content, metadata any, handle func(Message)) (<-chan Message,
	error) {
	m, err := NewMessage(c.session, msgType, content)
	if err == nil && metadata != nil {
		m.Metadata, err = json.Marshal(metadata)
	}
	if err != nil {
		return nil, err
	}
	frames, err := m.Frames(c.key)
	if err != nil {
		return nil, err
	}
	ch := make(chan Message, 1)
	c.mu.Lock()
	c.replies[m.Header.ID] = ch
	if handle != nil {
		c.handlers[m.Header.ID] = handle
	}
	c.mu.Unlock()
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		if c.ctx.Err() != nil {
			err = ErrClosed
		}
		return nil, fmt.Errorf("jupyter: sending %s: %w", msgType, err)
	}
	return ch, nil
}

// ask sends a request, waits for its reply and decodes its content.
func (c *Client) ask(ctx context.Context, socket zmq4.Socket, msgType string, content, answer any) error {
	reply, err := c.send(socket, msgType, content, nil, nil)
	if err != nil {
		return err
	}
	return c.wait(ctx, reply, answer)
}

// wait waits for the reply and decodes its content.
func (c *Client) wait(ctx context.Context, ch <-chan Message, content any) error {
	select {
	case m := <-ch:
		return decode(m, content)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		select {
		case m := <-ch: // the last thing that the kernel said
			return decode(m, content)
		default:
			return ErrClosed
		}
	}
}

func decode(m Message, content any) error {
	if err := json.Unmarshal(m.Content, content); err != nil {
		return fmt.Errorf("jupyter: %s: %w", m.Header.Type, err)
	}
	return nil
}
