package viz

import (
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/viz/progress"
)

// Format is a way to encode a figure. Its name is the extension of the file.
type Format string

// The formats. A Table has no picture formats, a Chart no CSV.
const (
	SVG  Format = "svg"
	PNG  Format = "png"
	PDF  Format = "pdf"
	HTML Format = "html" // a fragment for a notebook; Save makes it a page of its own
	Text Format = "txt"
	CSV  Format = "csv"

	// Phone is an SVG for a screen of a phone's width, where panels and maps stand below each other. Figures that have
	// one form alone have that one.
	Phone Format = "phone.svg"
)

// phoneWidth is the width in px of what Phone draws.
const phoneWidth = 360

// of encodes a figure, or returns the error of what should have made it.
func (f Format) of(fig Figure, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return fig.Encode(f)
}

// Figure is a figure that Show and Save accept. They also accept a Posterior, and make a Summary of it, and data of the
// kinds of Data.Of. A new kind of figure usually builds a Chart from its data and returns Chart.Encode.
type Figure interface {
	// Encode renders the figure, or returns an error that names the datum that makes it impossible.
	Encode(Format) ([]byte, error)
}

// figure returns the figure that Show or Save was given. For a Posterior it returns its Summary, and for data a Data.
func figure(v any) (Figure, error) {
	switch v := v.(type) {
	case nil:
		return nil, errors.New("viz: there is no figure, but nil")
	case Figure:
		if isNil(v) {
			return nil, fmt.Errorf("viz: there is no figure, but a nil %T; look at the error of the function that "+
				"should have made it", v)
		}
		return v, nil
	case Posterior:
		if isNil(v) {
			return nil, errors.New("viz: the posterior is nil; look at the error of the function that should have " +
				"made it")
		}
		return Summary{Of: v}, nil
	}
	if isData(v) {
		return Data{Of: v}, nil
	}
	return nil, fmt.Errorf("viz: a value of type %T is not a figure, table, posterior, field or column; fmt.Println "+
		"prints it", v)
}

// isNil reports whether a value is nil or a nil pointer, such as the posterior beside an error.
func isNil(v any) bool {
	p := reflect.ValueOf(v)
	return v == nil || p.Kind() == reflect.Pointer && p.IsNil()
}

// Save writes the figure, or the summary of a posterior, in the format of the path's extension: .svg, .png,
// .pdf, .html (standalone and offline), .txt or .csv. A file never holds half a figure. Save follows links,
// and writes into pipes and devices. A pipe or a device without an extension, such as /dev/stdout, gets text.
func Save(of any, path string) error {
	fig, err := figure(of)
	if err != nil {
		return fmt.Errorf("%w (saving %s)", err, path)
	}
	format := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")))
	if format == "" && safefile.Streams(path) {
		format = Text
	}
	if format == "" {
		return fmt.Errorf("viz: %s has no extension, which chooses the format; add .svg, .png, .pdf, .html, .txt or "+
			".csv", path)
	}
	data, err := fig.Encode(format)
	if err != nil {
		return fmt.Errorf("%w (saving %s)", err, path)
	}
	if format == HTML {
		data = page(filepath.Base(path), data)
	}
	if err := safefile.WriteFile(path, data); err != nil {
		return fmt.Errorf("viz: %w", err)
	}
	return nil
}

// unsupported returns the error for a format that a figure does not have.
func unsupported(kind string, format Format, have ...Format) error {
	names := make([]string, len(have))
	for i, f := range have {
		names[i] = "." + string(f)
	}
	return fmt.Errorf("%s: no format %q; use one of %s", kind, "."+string(format), strings.Join(names, " "))
}

// Method is one posterior of several in a figure.
type Method struct {
	Name  string
	Draws Draws
	// Color gives a method the same colour in several figures. The zero value chooses the colour by the method's place.
	Color color.NRGBA
}

// color returns the colour of a method at place k.
func (m Method) color(k int) color.NRGBA {
	if m.Color != (color.NRGBA{}) {
		return m.Color
	}
	return methodColor(k)
}

// Progress returns a function that shows the progress of long work: steps, rate, remaining time and a value of the work
// (a loss, a number of failures; NaN for none). Call it after each step, and before the first step if that takes long.
// It draws at most a few times a second, and always at the last step, step == total.
//
// In a notebook it updates one output, and in a terminal one line. If standard error is a file it prints a plain line
// for each tenth. It is safe for concurrent use. The library writes nothing else to standard error.
//
// In a notebook diffusion.Sample, learn.Train and other long functions show such a bar by default.
func Progress(label, value string) func(step, total int, v float64) {
	return progress.New(clean(label), clean(value))
}
