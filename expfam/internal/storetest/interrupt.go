package storetest

import (
	"os"
	"os/signal"
	"testing"
	"time"
)

// Interrupt is what Ctrl-C does.
func Interrupt(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, os.Interrupt)
	defer signal.Stop(arrived)
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		t.Skip("no interrupts here: ", err)
	}
	// The run must hear of it too before its few steps are over.
	<-arrived
	time.Sleep(100 * time.Millisecond)
}
