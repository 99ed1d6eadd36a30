// Package storetest gives the tests of a package a store of their own, away from the user's store. It also tells
// whether a result came from the store, and which fields of a configuration change a key.
package storetest

import (
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Main runs all tests of a package with a store of their own, and then removes the store. TestMain calls it.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "expfam-store-*")
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("EXPFAM_STORE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// Loads runs f and reports whether it found its result in the store, that is, added no file to the store.
func Loads(t *testing.T, f func()) bool {
	t.Helper()
	count := func() int {
		files := must.Get(filepath.Glob(filepath.Join(os.Getenv("EXPFAM_STORE"), "*", "*")))(t)
		return len(files)
	}
	before := count()
	f()
	return count() == before
}

// Equal fails the test unless two posteriors agree to the last bit, including the seconds that they took.
func Equal(t *testing.T, a, b *expfam.Posterior) {
	t.Helper()
	must.Be(t, mat.Equal(a.X, b.X) && reflect.DeepEqual(a.Info, b.Info) && mat.Equal(a.Theta().X, b.Theta().X),
		"posteriors differ: %+v and %+v", a.Info, b.Info)
}

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
