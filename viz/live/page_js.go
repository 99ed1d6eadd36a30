package live

import (
	"syscall/js"

	"github.com/expfam/lab/viz/program"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// page is the wire to the page in whose worker the program runs.
type page struct{ js.Value }

// reader returns the wire to the page that runs this program, or nil if no page does.
func reader() wire {
	v := js.Global().Get("expfamPage")
	if !v.Truthy() {
		return nil
	}
	return page{v}
}

func (p page) show(data map[protocol.MIMEType]any) error {
	html, _ := data[protocol.MIMETextHTML].(string)
	p.Call("show", inert(html))
	return nil
}

// listen never releases the function, because the page may call it as long as the program runs.
func (p page) listen(f func(string)) {
	p.Set("receive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0].String())
		return nil
	}))
}

func (p page) send(state, figure string) { p.Call("send", state, inert(figure)) }

// inert returns HTML in which the scripts of figures are replaced by their data. The page's own programs use the data,
// because the content security policy of the page runs no script of a figure.
func inert(html string) string { return program.Blocks(html, program.Block) }
