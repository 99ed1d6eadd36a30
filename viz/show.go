package viz

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Show displays figures, one output each: HTML with the static image inside, the same picture for
// readers without HTML (Picture), and a line of text. For a Posterior it shows the Summary. Outside of a notebook it
// prints text: a Table as text, the summary of a posterior, or for a chart how to save it.
//
// Show panics if a figure cannot be drawn, or a value is not a figure, so that the cell fails
// instead of showing nothing. Display returns the error.
func Show(figs ...any) {
	if err := Display(figs...); err != nil {
		panic(err)
	}
}

// Display shows figures as Show does, and returns an error instead of panicking. All
// figures are rendered before the first is shown.
func Display(of ...any) error {
	if len(of) == 0 {
		return errors.New("viz: nothing to show; give at least one figure")
	}
	figs := make([]Figure, len(of))
	for i, v := range of {
		fig, err := figure(v)
		if err != nil {
			return err
		}
		figs[i] = fig
	}
	if !gonbui.IsNotebook {
		return printText(os.Stdout, figs)
	}
	bundles := make([]*protocol.DisplayData, len(figs))
	for i, fig := range figs {
		b, err := bundle(fig)
		if err != nil {
			return err
		}
		bundles[i] = b
	}
	return send(bundles...)
}

// bundle renders a figure in every form that a notebook can store.
func bundle(fig Figure) (*protocol.DisplayData, error) {
	page, err := fig.Encode(HTML)
	if err != nil {
		return nil, err
	}
	text, err := fig.Encode(Text)
	if err != nil {
		return nil, err
	}
	data := map[protocol.MIMEType]any{protocol.MIMETextHTML: string(page), protocol.MIMETextPlain: string(text)}
	if kind, image := Picture(fig); image != nil {
		data[kind] = image
	}
	return &protocol.DisplayData{Data: data}, nil
}

// Picture returns the picture of a figure for readers without HTML: a PNG, or an SVG if the fonts of PNGs lack a letter
// of the figure. Tables have no picture; the image is then nil.
func Picture(fig Figure) (kind protocol.MIMEType, image any) {
	png, err := fig.Encode(PNG)
	if err == nil {
		return protocol.MIMEImagePNG, png
	}
	if letters := (*glyphError)(nil); errors.As(err, &letters) {
		if svg, err := fig.Encode(SVG); err == nil {
			return protocol.MIMEImageSVG, string(svg)
		}
	}
	return "", nil
}

// send hands displays to the kernel.
func send(bundles ...*protocol.DisplayData) error {
	for _, b := range bundles {
		gonbui.SendData(b)
		if err := gonbui.Error(); err != nil {
			return fmt.Errorf("viz: the notebook does not accept the figure: %w", err)
		}
	}
	gonbui.Sync() // GoNB drops what it has not read when the cell's program ends
	return nil
}

// printText writes the plain text of figures.
func printText(w io.Writer, figs []Figure) error {
	pictures := false
	for _, fig := range figs {
		text, err := fig.Encode(Text)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return fmt.Errorf("viz: %w", err)
		}
		switch fig.(type) {
		case Table, Summary, Comparison: // their text is complete
		default:
			pictures = true
		}
	}
	if pictures {
		fmt.Fprintln(w, "[not in a notebook: viz.Save(fig, \"name.svg\") writes .svg, .png, .pdf and .html]")
	}
	return nil
}
