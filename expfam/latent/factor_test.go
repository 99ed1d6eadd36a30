package latent

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/speak"
)

// TestAloud interrupts work that does not end: the plan is in the log, and the interrupt is the result.
func TestAloud(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(old)
	self := must.Get(os.FindProcess(os.Getpid()))(t)
	err := aloud("the work", Cost{Flops: 60 * speed}, func() error {
		if err := self.Signal(os.Interrupt); err != nil {
			return err // there are no such signals on Windows
		}
		select {}
	})
	must.Be(t, errors.Is(err, speak.ErrInterrupted) || strings.Contains(err.Error(), "not supported"),
		"ended by %v", err)
	must.Be(t, strings.Contains(log.String(), "the work, about 60 s"), "log %q", &log)
	must.Do(t, aloud("short work", Cost{Flops: speed}, func() error { log.Reset(); return nil }))
	must.Be(t, log.Len() == 0, "log %q", &log)
}
