package jupyter

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/expfam/lab/internal/must"
)

var sample = Message{
	Header: Header{ID: "m", Type: "kernel_info_request", Session: "s", Username: "u", Date: "2026-01-02T03:04:05Z",
		Version: "5.3"},
	Content: json.RawMessage(`{"a":1}`),
}

// The four signed parts of sample, as they go over the wire.
const (
	sampleHeader = `{"msg_id":"m","msg_type":"kernel_info_request","session":"s","username":"u","date":"2026-01-02T03:04:05Z","version":"5.3"}`
	// Made with OpenSSL: printf '%s' HEADER'{}{}{"a":1}' | openssl dgst -sha256 -hmac secret
	sampleSignature = "030255ad4bec4d21cfdd536fdc72df77487416a595c56fe7cc32cd7ba45d0c02"
)

func TestFrames(t *testing.T) {
	frames := must.Get(sample.Frames([]byte("secret")))(t)
	want := []string{delimiter, sampleSignature, sampleHeader, "{}", "{}", `{"a":1}`}
	must.Need(t, len(frames) == len(want), "%d frames, want %d", len(frames), len(want))
	for i, w := range want {
		must.Equal(t, string(frames[i]), w, "frame", i)
	}
}

func TestParseFrames(t *testing.T) {
	m := sample
	m.Identities = [][]byte{[]byte("peer"), {0, 1}}
	m.Parent = Header{ID: "p"}
	m.Buffers = [][]byte{{1, 2, 3}}
	frames := must.Get(m.Frames([]byte("k")))(t)
	got := must.Get(ParseFrames(frames, []byte("k")))(t)
	m.Metadata, m.signature = json.RawMessage("{}"), string(frames[3])
	must.Equal(t, got, m)
}

func TestParseFramesRefuses(t *testing.T) {
	signed := func() [][]byte {
		return must.Get(sample.Frames([]byte("k")))(t)
	}
	for _, c := range []struct {
		name   string
		change func([][]byte) [][]byte
		key    string
		wrong  bool // signature
	}{
		{"changed content", func(f [][]byte) [][]byte { f[5] = []byte(`{"a":2}`); return f }, "k", true},
		{"changed header", func(f [][]byte) [][]byte { f[2] = []byte(`{"msg_type":"shutdown_request"}`); return f },
			"k", true},
		{"another key", func(f [][]byte) [][]byte { return f }, "j", true},
		{"no signature", func(f [][]byte) [][]byte { f[1] = nil; return f }, "k", true},
		{"no delimiter", func(f [][]byte) [][]byte { return f[1:] }, "k", false},
		{"too few parts", func(f [][]byte) [][]byte { return f[:5] }, "k", false},
		{"nothing", func([][]byte) [][]byte { return nil }, "k", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseFrames(c.change(signed()), []byte(c.key))
			must.Be(t, err != nil && errors.Is(err, ErrSignature) == c.wrong, "got %v", err)
		})
	}
}

func TestEmptyKeyDoesNotSign(t *testing.T) {
	frames := must.Get(sample.Frames(nil))(t)
	must.Equal(t, len(frames[1]), 0, "signature", frames[1])
	must.Get(ParseFrames(frames, nil))(t)
}

func TestEnviron(t *testing.T) {
	env := environ([]string{"PATH=/bin", "A=1"}, map[string]string{"PATH": "/x:${PATH}:${NONE}"})
	must.Equal(t, env[len(env)-1], "PATH=/x:/bin:${NONE}")
}
