package cluster

import (
	"fmt"
	"strings"
)

// Ended is how a share or the merge ended.
type Ended struct {
	Name, Node string
	Seconds    float64
}

// ends returns how all shares and the merge ended.
func (w *watch) ends() []Ended {
	var all []Ended
	add := func(name string) {
		if e, done := ended(w.Folder, strings.ReplaceAll(name, " ", "-"), "done"); done {
			all = append(all, Ended{name, e.node, float64(e.millis) / 1000})
		}
	}
	for i := range w.Shares {
		add(fmt.Sprintf("share %d", i))
	}
	if w.Merge != nil {
		add("merge")
	}
	return all
}
