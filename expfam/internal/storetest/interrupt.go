package storetest

import (
	"os"
	"os/signal"
	"testing"
	"time"
)

// Interrupt sends this process the signal that Ctrl-C sends.
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
	// The run under test must also get the signal before its few steps are over.
	<-arrived
	time.Sleep(100 * time.Millisecond)
}
