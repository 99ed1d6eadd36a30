package zmtp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Bits of a frame's first byte.
const (
	more    = 1 << iota // another frame of the same message follows
	long                // the size has eight bytes, not one
	command             // the frame is a command of the protocol
)

// greetingSize is the number of bytes of a greeting: signature (10), version (2), mechanism (20), role (1), filler
// (31).
const greetingSize = 64

// greeting is what this side sends first: version 3.0 with the mechanism NULL.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

// checkGreeting refuses what is no greeting of version 3 or later with the mechanism NULL.
func checkGreeting(g []byte) error {
	if g[0] != 0xff || g[9] != 0x7f {
		return errors.New("zmtp: what connects does not speak ZMTP")
	}
	if g[10] < 3 {
		return fmt.Errorf("zmtp: version %d.%d of the protocol is older than 3.0", g[10], g[11])
	}
	if mechanism := strings.TrimRight(string(g[12:32]), "\x00"); mechanism != "NULL" {
		return fmt.Errorf("zmtp: mechanism %q, not NULL", mechanism)
	}
	return nil
}

// ready returns the frame of the command READY of a socket of a type.
func ready(socketType string) []byte {
	body := append([]byte{5}, "READY"...)
	for _, property := range [][2]string{{"Socket-Type", socketType}, {"Identity", ""}} {
		name, value := property[0], property[1]
		body = append(append(body, byte(len(name))), name...)
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(value))), value...)
	}
	return append([]byte{command, byte(len(body))}, body...)
}

// parseReady reads the type and the identity of a peer's socket from the body of its command READY.
func parseReady(body []byte) (socketType, identity string, err error) {
	name, rest, ok := cut(body, 1)
	if !ok || string(name) != "READY" {
		return "", "", errors.New("zmtp: the first command is not READY")
	}
	for len(rest) > 0 {
		var value []byte
		if name, rest, ok = cut(rest, 1); ok {
			value, rest, ok = cut(rest, 4)
		}
		if !ok || len(name) == 0 {
			return "", "", errors.New("zmtp: a property of READY has no name, or ends after the command")
		}
		switch strings.ToLower(string(name)) {
		case "socket-type":
			socketType = string(value)
		case "identity":
			identity = string(value)
		}
	}
	if len(identity) > 255 || strings.HasPrefix(identity, "\x00") { // those with a zero are given by this side
		return "", "", errors.New("zmtp: an identity begins with a zero or has more than 255 bytes")
	}
	return socketType, identity, nil
}

// cut takes a piece off that its size precedes, a number of one or four bytes.
func cut(from []byte, digits int) (piece, rest []byte, ok bool) {
	if len(from) < digits {
		return nil, nil, false
	}
	size := uint64(from[0])
	if digits == 4 {
		size = uint64(binary.BigEndian.Uint32(from))
	}
	from = from[digits:]
	if size > uint64(len(from)) {
		return nil, nil, false
	}
	return from[:size], from[size:], true
}

// shake performs the handshake, within a time, and returns the type and the identity of the peer's socket.
func shake(conn net.Conn, own string, limit time.Duration) (socketType, identity string, err error) {
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return "", "", err
	}
	if _, err := conn.Write(append(greeting(), ready(own)...)); err != nil {
		return "", "", err
	}
	theirs := make([]byte, greetingSize)
	if _, err := io.ReadFull(conn, theirs); err != nil {
		return "", "", err
	}
	if err := checkGreeting(theirs); err != nil {
		return "", "", err
	}
	header := make([]byte, 2, 9)
	if _, err := io.ReadFull(conn, header); err != nil {
		return "", "", err
	}
	size := uint64(header[1])
	switch header[0] {
	case command:
	case command | long:
		header = header[:9]
		if _, err := io.ReadFull(conn, header[2:]); err != nil {
			return "", "", err
		}
		size = binary.BigEndian.Uint64(header[1:])
	default:
		return "", "", errors.New("zmtp: what follows the greeting is no command")
	}
	if size > mostReady {
		return "", "", fmt.Errorf("zmtp: a command READY of %d bytes, at most %d", size, mostReady)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(conn, body); err != nil {
		return "", "", err
	}
	if socketType, identity, err = parseReady(body); err != nil {
		return "", "", err
	}
	return socketType, identity, conn.SetDeadline(time.Time{})
}
