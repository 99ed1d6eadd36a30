package speak_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/speak"
)

func TestContextEndsWithAnInterrupt(t *testing.T) {
	ctx, stop := speak.Interruptible()
	defer stop()
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		t.Skip("no interrupts here: ", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Error("an interrupt is not heard")
	}
}

// The library listens to signals here alone, and writes to standard error nowhere but
// where it is asked for a progress bar.
func TestOnlyPlace(t *testing.T) {
	allowed := map[string]string{
		"internal/speak/speak.go": "signal.Notify", // the place
		"viz/progress/line.go":    "os.Stderr",     // the bar
	}
	for _, folder := range []string{"expfam", "viz", "internal"} {
		must.Do(t,
			filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
				name := filepath.ToSlash(path)
				if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
					strings.Contains(name, "test/") || strings.Contains(name, "testdata/") {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if strings.Contains(string(text), "\n//go:build ignore\n") ||
					strings.HasPrefix(string(text), "//go:build ignore\n") {
					return nil // a program
				}
				for _, what := range []string{"signal.Notify", "os.Stderr"} {
					if strings.Contains(string(text), what) && allowed[strings.TrimPrefix(name, "../../")] != what {
						t.Errorf("%s has %s", name, what)
					}
				}
				return nil
			}))
	}
}
