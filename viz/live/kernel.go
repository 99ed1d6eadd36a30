package live

import (
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// kernel is the wire through GoNB. The panel's id is the address.
type kernel struct{ id string }

func (k kernel) show(data map[protocol.MIMEType]any) error {
	gonbui.SendData(&protocol.DisplayData{Data: data, DisplayID: k.id})
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("live: the notebook does not accept the panel: %w", err)
	}
	gonbui.Sync() // GoNB drops what it has not read when the cell's program ends
	return nil
}

// listen subscribes and never unsubscribes, because GoNB's package stops dispatching when a value comes for an address
// without a subscription.
func (k kernel) listen(f func(string)) { comms.Subscribe(k.id, func(_, message string) { f(message) }) }

// send uses a map, because the kernel would escape JSON inside a string anew.
func (k kernel) send(state, figure string) {
	comms.Send(k.id, map[string]string{"state": state, "figure": figure})
}
