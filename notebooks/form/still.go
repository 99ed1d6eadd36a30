package form

import (
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/viz"
)

// Still shows the picture of a figure and the sentence of its summary, without values under the pointer: those of
// 256×256 cells would take a megabyte in the file of the lesson.
func Still(fig viz.Figure) {
	kind, picture := viz.Picture(fig)
	text := string(expfam.Must(fig.Encode(viz.Text)))
	if !gonbui.IsNotebook {
		viz.Show(fig)
		return
	}
	data := map[protocol.MIMEType]any{kind: picture, protocol.MIMETextPlain: text}
	gonbui.SendData(&protocol.DisplayData{Data: data})
	gonbui.Sync()
}
