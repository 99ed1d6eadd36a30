package viz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/png"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// rendering is a figure after layout, with all that its formats need. html makes a fragment around the SVG.
type rendering struct {
	kind          string
	width, height float64 // px
	words         []string
	paint         func(draw.Canvas)
	html          func(svg []byte) ([]byte, error)
}

func (r rendering) encode(format Format) ([]byte, error) {
	switch format {
	case PNG:
		return r.png()
	case PDF:
		return r.pdf()
	case Text:
		return fmt.Appendf(nil, "[%s: %s]\n", r.kind, strings.Join(r.words, "; ")), nil
	case SVG, HTML, Phone:
		svg, err := r.svg()
		if err != nil || format != HTML {
			return svg, err
		}
		return r.html(svg)
	}
	return nil, unsupported(r.kind, format, SVG, PNG, PDF, HTML, Text)
}

// png returns what paint draws, with 1.5 pixels for each px.
func (r rendering) png() ([]byte, error) {
	c := pixelled{vgimg.NewWith(vgimg.UseWH(px(r.width), px(r.height)), vgimg.UseDPI(144)),
		new(missingGlyphs), new(dashing)}
	r.paint(draw.New(c))
	if err := c.err(r.kind); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, quantize(c.Image().(*image.RGBA))); err != nil {
		return nil, fmt.Errorf("%s: %w", r.kind, err)
	}
	return b.Bytes(), nil
}

// pixelled is a canvas of pixels that notes which letters it cannot show, and strokes long paths in pieces.
type pixelled struct {
	*vgimg.Canvas
	*missingGlyphs
	dash *dashing
}

// FillString implements vg.Canvas.
func (c pixelled) FillString(f font.Face, at vg.Point, s string) {
	c.Canvas.FillString(f, at, c.take(f, s))
}

// svg returns what paint draws. It renders with vgsvg, then rewrites the header and the styles of
// text: the size is in pixels, screen readers get a title, and the font is named once, with fallbacks of the same
// metrics. The patterns that it replaces include a quotation mark, which escaped text never has.
func (r rendering) svg() ([]byte, error) {
	c := vgsvg.New(px(r.width), px(r.height))
	r.paint(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", r.kind, err)
	}
	_, header, _ := strings.Cut(b.String(), "<svg ")
	_, body, ok := strings.Cut(header, ">\n")
	if !ok {
		return nil, fmt.Errorf("%s: unexpected SVG header", r.kind)
	}
	const plain = `style="font-family:Liberation Sans;font-variant:normal;font-weight:`
	body = strings.NewReplacer(
		plain+`normal;font-style:normal;`, `style="`,
		plain+`bold;font-style:normal;`, `style="font-weight:bold;`,
		` transform="scale(1, -1)"`+"\n\t", ` transform="scale(1,-1)" `,
	).Replace(body)
	space := ""
	if body = edged(sharpen(body)); strings.Contains(body, ` xlink:href="`) {
		space = ` xmlns:xlink="http://www.w3.org/1999/xlink"`
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg"%s width="%g" height="%g" viewBox="0 0 %g %g" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" role="img"><title>%s</title>`+"\n",
		space, r.width, r.height, 0.75*r.width, 0.75*r.height, html.EscapeString(clean(strings.Join(r.words, "; "))))
	out.WriteString(body)
	return out.Bytes(), nil
}

// group matches the regions of a map, and coloured the colour of one of them.
var (
	group    = regexp.MustCompile(`(?s)<g transform="rotate\(0\)">\n(.*?)</g>`)
	coloured = regexp.MustCompile(`style="fill:(#[0-9A-Fa-f]{6})([^"]*)"`)
)

// edged draws lines around the regions of a map: all in one grey, or, where there are many, each in its own colour. A
// space before a colour hides it from theme.js, because no theme changes the colours of data.
func edged(body string) string {
	return group.ReplaceAllStringFunc(body, func(s string) string {
		paths := group.FindStringSubmatch(s)[1]
		rgb, _ := hex(borderLine)
		head, style := `stroke="`+rgb+`" stroke-opacity=".7"`, `style="fill: $1$2"`
		if strings.Count(paths, "<path") > manyRegions {
			head, style = `fill="currentColor" stroke="currentColor"`, `style="color: $1$2"`
			paths = strings.ReplaceAll(paths, "fill-opacity", "opacity")
		}
		return `<g transform="rotate(0)" stroke-width=".4" stroke-linejoin="round" ` + head + ">\n" +
			coloured.ReplaceAllString(paths, style) + "</g>"
	})
}

// rasterImage matches an image element of vgsvg, which calls its PNG a JPEG.
var rasterImage = regexp.MustCompile(`(<image [^>]*width="([^"]+)"[^>]*) xlink:href="data:image/jpg;base64,([A-Za-z0-9+/=]*)"`)

// sharpen keeps sharp edges between the pixels of images that are enlarged. Images that are reduced are smoothed, so
// that no row gets lost.
func sharpen(body string) string {
	return rasterImage.ReplaceAllStringFunc(body, func(s string) string {
		m := rasterImage.FindStringSubmatch(s)
		style := ""
		width, _ := strconv.ParseFloat(m[2], 64)
		cfg, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[3])))
		if err == nil && 0.75*float64(cfg.Width) <= width {
			style = ` style="image-rendering:pixelated"`
		}
		return m[1] + style + ` preserveAspectRatio="none" xlink:href="data:image/png;base64,` + m[3] + `"`
	})
}
