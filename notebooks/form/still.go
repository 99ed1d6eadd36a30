package form

import (
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/viz"
)

// Still shows the picture of a figure and the sentence of its summary, without values under the pointer: those of
// 256×256 cells would take a megabyte in the file of the lesson. Outside of a notebook it does what [viz.Show] does.
func Still(fig viz.Figure) {
	if !gonbui.IsNotebook {
		viz.Show(fig)
		return
	}
	data := map[protocol.MIMEType]any{protocol.MIMETextPlain: string(expfam.Must(fig.Encode(viz.Text)))}
	if kind, picture := viz.Picture(fig); picture != nil {
		data[kind] = picture
	}
	gonbui.SendData(&protocol.DisplayData{Data: data})
	gonbui.Sync() // GoNB drops what it has not read when the cell's program ends
}
