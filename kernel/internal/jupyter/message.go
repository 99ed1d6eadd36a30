// Package jupyter speaks the Jupyter messaging protocol, version 5, from the side of a client: it starts a kernel, runs
// code on it and reads what it prints and displays. The protocol:
// https://jupyter-client.readthedocs.io/en/stable/messaging.html.
package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// delimiter parts the routing identities from the signed message.
const delimiter = "<IDS|MSG>"

// Version is the version of the protocol.
const Version = "5.5"

// Header identifies a message.
type Header struct {
	ID       string `json:"msg_id"`
	Type     string `json:"msg_type"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`    // ISO 8601
	Version  string `json:"version"` // version of the protocol
}

// Sent returns when the message was sent; the present if the header does not say it.
func (h Header) Sent() time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if sent, err := time.Parse(layout, h.Date); err == nil {
			return sent
		}
	}
	return time.Now()
}

// Message is one message, in either direction.
type Message struct {
	Identities [][]byte // routing prefix; empty for a client
	Header     Header
	Parent     Header // header of the request that caused it; zero for a request
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte

	signature string // of a message that came
}

// NewMessage makes a request of the given type with a fresh id.
func NewMessage(session, msgType string, content any) (Message, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return Message{}, fmt.Errorf("jupyter: %s: %w", msgType, err)
	}
	return Message{
		Header: Header{
			ID: newID(), Type: msgType, Session: session, Username: "kernel",
			Date: time.Now().UTC().Format(time.RFC3339Nano), Version: Version,
		},
		Metadata: json.RawMessage("{}"),
		Content:  body,
	}, nil
}

// Frames returns the message on the wire: identities, delimiter, signature, header, parent header, metadata, content,
// buffers. The signature is the HMAC-SHA256 of the four parts that follow it, in hexadecimal; with an empty key it is
// empty.
func (m Message) Frames(key []byte) ([][]byte, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, fmt.Errorf("jupyter: %w", err)
	}
	parent := []byte("{}")
	if m.Parent != (Header{}) {
		if parent, err = json.Marshal(m.Parent); err != nil {
			return nil, fmt.Errorf("jupyter: %w", err)
		}
	}
	parts := [][]byte{header, parent, orObject(m.Metadata), orObject(m.Content)}
	frames := append([][]byte{}, m.Identities...)
	frames = append(frames, []byte(delimiter), sign(key, parts))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...), nil
}

// ErrSignature says that a message was not signed with the connection's key.
var ErrSignature = errors.New("jupyter: message with a wrong signature")

// ParseFrames is the inverse of Frames; it refuses a message whose signature is wrong.
func ParseFrames(frames [][]byte, key []byte) (Message, error) {
	var m Message
	at := 0
	for at < len(frames) && !bytes.Equal(frames[at], []byte(delimiter)) {
		at++
	}
	if len(frames) < at+6 {
		return m, fmt.Errorf("jupyter: message of %d frames has no delimiter or too few parts after it", len(frames))
	}
	m.Identities = frames[:at]
	signature, parts := frames[at+1], frames[at+2:at+6]
	if !hmac.Equal(signature, sign(key, parts)) {
		return m, ErrSignature
	}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return m, fmt.Errorf("jupyter: header: %w", err)
	}
	if err := json.Unmarshal(parts[1], &m.Parent); err != nil {
		return m, fmt.Errorf("jupyter: parent header: %w", err)
	}
	m.Metadata, m.Content, m.Buffers, m.signature = parts[2], parts[3], frames[at+6:], string(signature)
	return m, nil
}

func sign(key []byte, parts [][]byte) []byte {
	if len(key) == 0 {
		return []byte{}
	}
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

func orObject(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

// newID returns a random UUID (version 4), the form that Jupyter uses for sessions, messages and kernels.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// mostReplays is the number of signatures in each of the two sets of replays; Jupyter's own sessions remember as many.
const mostReplays = 1 << 16

// replays remembers the last messages by their signatures: at least the last 65536, at most twice as many.
type replays struct{ now, before map[string]struct{} }

// add adds a signature and reports whether it is new.
func (r *replays) add(signature string) bool {
	if _, again := r.now[signature]; again {
		return false
	}
	if _, again := r.before[signature]; again {
		return false
	}
	if r.now == nil || len(r.now) == mostReplays {
		r.now, r.before = map[string]struct{}{}, r.now
	}
	r.now[signature] = struct{}{}
	return true
}
