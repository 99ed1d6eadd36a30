package front

import (
	"context"
	"encoding/json"
	"maps"
	"time"
	"unicode/utf16"

	"github.com/expfam/lab/kernel/internal/cell"
)

// cursorLimit is how long gopls may think about a place in a cell.
const cursorLimit = 10 * time.Second

// cursor is the content of a request about a place in a cell. Places are counted in UTF-16, as GoNB does.
type cursor struct {
	Code   string `json:"code"`
	At     int    `json:"cursor_pos"`
	Detail int    `json:"detail_level"`
}

// complete asks GoNB how the code could go on.
func (f *front) complete(ctx context.Context, r request) {
	f.status(r, "busy")
	defer f.status(r, "idle")
	c := decode[cursor](r.Message)
	reply := map[string]any{"status": "ok", "matches": []string{}, "cursor_start": c.At, "cursor_end": c.At, "metadata": map[string]any{}}
	if answer, shift, ok := f.about(ctx, r.Header.Type, c); ok {
		maps.Copy(reply, answer)
		for _, key := range []string{"cursor_start", "cursor_end"} {
			if at, is := reply[key].(float64); is {
				reply[key] = int(at) - shift
			}
		}
	}
	f.reply(r, reply, nil)
}

// inspect asks GoNB what stands at a place.
func (f *front) inspect(ctx context.Context, r request) {
	f.status(r, "busy")
	defer f.status(r, "idle")
	reply := map[string]any{"status": "ok", "found": false, "data": map[string]any{}, "metadata": map[string]any{}}
	if answer, _, ok := f.about(ctx, r.Header.Type, decode[cursor](r.Message)); ok {
		maps.Copy(reply, answer)
	}
	f.reply(r, reply, nil)
}

// about asks GoNB about a place in a cell, in a program with what other cells define. Places in the answer are further back by shift.
func (f *front) about(ctx context.Context, msgType string, c cursor) (answer map[string]any, shift int, ok bool) {
	<-f.ready
	units := utf16.Encode([]rune(c.Code))
	at := len(string(utf16.Decode(units[:min(max(c.At, 0), len(units))])))
	text, place, ok := f.session.Around(cell.Cell{Source: c.Code}, at)
	if !ok {
		return nil, 0, false
	}
	moved := len(utf16.Encode([]rune(text[:place])))
	ctx, cancel := context.WithTimeout(ctx, cursorLimit)
	defer cancel()
	content, err := f.gonb.Ask(ctx, msgType, map[string]any{"code": text, "cursor_pos": moved, "detail_level": c.Detail})
	if err != nil || json.Unmarshal(content, &answer) != nil {
		return nil, 0, false
	}
	return answer, moved - c.At, true
}
