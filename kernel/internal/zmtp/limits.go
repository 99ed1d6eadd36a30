package zmtp

import (
	"cmp"
	"sync"
	"time"
)

// Limits bound what the peers of a socket may cost. A field that is zero has its default.
type Limits struct {
	Peers     int           // connections at once, with those amid their handshake; 128
	Handshake time.Duration // for the whole handshake; 30 s, as libzmq gives
	Message   int           // bytes of a message that a peer sends; 256 MB
	Queue     int           // bytes that wait for a peer; 64 MB. One message may wait whatever its size
	// Stall is how long a sender waits for a peer whose queue is full to take a step of it, a megabyte; 5 s. A peer
	// that has not by then does not read, and is closed.
	Stall time.Duration
}

const (
	// step is the number of bytes that a peer with a full queue has to take within [Limits.Stall], or its whole queue
	// if that has less.
	step = 1 << 20
	// silence is how long a peer may send nothing in the middle of a message.
	silence = 30 * time.Second
	// mostFrames is the largest number of frames of a message. Jupyter's messages have six, and one for each buffer.
	mostFrames = 1024
	// overhead is what a frame costs besides its bytes, at least.
	overhead = 64
	// mostReady is the largest number of bytes of a command READY.
	mostReady = 8 << 10
	// mostTopics is the largest number of topics, and of bytes of one, to which a peer may subscribe.
	mostTopics, longestTopic = 256, 1024
	// mostPongs is the largest number of bytes that may wait for a peer when an answer to its PING is added.
	mostPongs = 64 << 10
	// succession is how long a connection waits for an earlier one with its identity to end: who connects anew may be
	// faster than the end of the old connection.
	succession = time.Second
	// linger is how long Close waits for peers to take what was sent.
	linger = time.Second
)

func (l Limits) orDefaults() Limits {
	set := func(value *int, to int) {
		*value = cmp.Or(*value, to)
	}
	set(&l.Peers, 128)
	set(&l.Message, 256<<20)
	set(&l.Queue, 64<<20)
	l.Handshake = cmp.Or(l.Handshake, 30*time.Second)
	l.Stall = cmp.Or(l.Stall, 5*time.Second)
	return l
}

// Budget is the number of bytes that unfinished messages may have in total, on all sockets that share the budget.
// Without it, each of many peers could send the greater part of a large message and then wait.
type Budget struct {
	mu   sync.Mutex
	left int
}

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int) *Budget { return &Budget{left: bytes} }

// take takes bytes from the budget if it has so many.
func (b *Budget) take(bytes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes > b.left {
		return false
	}
	b.left -= bytes
	return true
}

func (b *Budget) give(bytes int) {
	b.mu.Lock()
	b.left += bytes
	b.mu.Unlock()
}
