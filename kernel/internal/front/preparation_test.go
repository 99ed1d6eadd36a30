package front

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

func TestWaiting(t *testing.T) {
	for _, c := range []struct {
		taken, expected time.Duration
		want            string
	}{
		{0, 50 * time.Second, "░░░░░░░░░░░░░░░░░░░░ the library is prepared, once: 0 s of about 50 s"},
		{25 * time.Second, 50 * time.Second, "██████████░░░░░░░░░░ the library is prepared, once: 25 s of about 50 s"},
		{90 * time.Second, 50 * time.Second, "███████████████████░ the library is prepared, once: 90 s of about 50 s"},
		{time.Second, 0, "███████████████████░ the library is prepared, once: 1 s of about 1 s"},
	} {
		must.Equal(t, waiting(c.taken, c.expected), c.want)
	}
}

// A kernel that can compile nothing answers, and says in each cell why.
func TestRefuse(t *testing.T) {
	dir := must.Get(os.MkdirTemp("", "r"))(t) // short, for the sockets
	t.Cleanup(func() { os.RemoveAll(dir) })
	conn := must.Get(jupyter.NewConnection(dir))(t)
	file := filepath.Join(dir, "kernel.json")
	must.Do(t, conn.WriteFile(file))
	ended := make(chan error, 1)
	go func() { ended <- Refuse(file, errors.New("the compiler is missing")) }()
	ignore := func(jupyter.Channel, jupyter.Message) {}
	client := must.Get(jupyter.DialRelay(t.Context(), context.Background(), conn, ignore))(t)
	defer client.Close()
	must.Do(t, client.Ready(t.Context()))
	var shown []string
	for range 2 {
		reply, err := client.ExecuteRequest(t.Context(), jupyter.Request{Code: "1+1"}, nil, func(m jupyter.Message) {
			if m.Header.Type == "error" {
				shown = append(shown, decode[fault](m).Value)
			}
		})
		must.Do(t, err)
		must.Equal(t, reply.EValue, "the compiler is missing")
	}
	must.Equal(t, strings.Join(shown, "; "), "the compiler is missing; the compiler is missing")
	client.Shutdown(t.Context())
	must.Err(t, <-ended, "the compiler is missing")
}
