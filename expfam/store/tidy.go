package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/expfam/lab/internal/storedir"
)

// untidied holds, for each folder, how many bytes may still be written into it before it is tidied again.
var untidied sync.Map // string -> *atomic.Int64

// tidy removes entries if the folder is above its bound. More is the number of bytes that were just written. The folder
// is looked at when a process begins to use it, and then after each twentieth of the bound that the process writes.
func (s *Store) tidy(more int64) {
	fresh := new(atomic.Int64)
	left, used := untidied.LoadOrStore(s.dir, fresh)
	until := left.(*atomic.Int64)
	if used && (more == 0 || until.Add(-more) > 0) {
		return
	}
	max, err := storedir.Max()
	if err != nil {
		warn(s.logger(), s.dir, err, "the bound of the store is not understood", "bound", max)
	}
	if until.Store(int64(max / 20)); max == 0 {
		until.Store(unknown)
	}
	gone, err := storedir.Tidy(s.dir, max)
	if err != nil {
		warn(s.logger(), s.dir, err, "the store can't be tidied")
	}
	var leftovers, results []storedir.Entry
	for _, e := range gone {
		if e.Leftover {
			leftovers = append(leftovers, e)
		} else {
			results = append(results, e)
		}
	}
	if len(leftovers) > 0 {
		s.logger().Info("store: removed files that interrupted runs left", "store", s.dir, "files", len(leftovers),
			"size", storedir.Total(leftovers))
	}
	if len(results) > 0 {
		s.logger().Warn("store: the store was above its bound, so the results unused for longest were removed", "store",
			s.dir, "bound", max, "results", len(results), "size", storedir.Total(results), "last used before",
			results[len(results)-1].Used, "set", storedir.MaxEnv)
	}
}

// bytes returns about the size of the file on disk.
func (f *File) bytes() (n int64) {
	for _, t := range f.Tensors {
		n += int64(binary.Size(t.Data))
	}
	return n + block
}

// Codec turns results into files, and files into results that are equal to the bit.
type Codec[T any] struct {
	File func(T) (*File, error)
	From func(*File) (T, error)
}

// JSON returns the codec for values that [json.Marshal] can write. It cannot write NaN and infinity.
func JSON[T any]() Codec[T] {
	return Codec[T]{
		File: func(v T) (*File, error) {
			text, err := json.Marshal(v)
			return &File{Meta: map[string]string{"json": string(text)}}, err
		},
		From: func(f *File) (v T, err error) {
			return v, json.Unmarshal([]byte(f.Meta["json"]), &v)
		},
	}
}

// Once returns the result of compute, or the stored result of an earlier call with the same kind and key. The key must
// cover everything that determines the result; see [Key]. If compute fails, nothing is stored. A result whose entry
// cannot be read is computed again. A store that fails causes only a warning in the log; see [UseContext]. If the codec
// refuses a result, the result is returned with the error.
//
//	lags, err := store.Once("lags", store.Key(revision, images), store.JSON[[]float64](), func() ([]float64, error) {
//		return estimate(images)
//	})
func Once[T any](kind, key string, codec Codec[T], compute func() (T, error)) (T, error) {
	return OnceContext(context.Background(), kind, key, codec, compute)
}

// OnceContext is [Once] with the logger of a context. The context does not reach compute.
func OnceContext[T any](ctx context.Context, kind, key string, codec Codec[T], compute func() (T, error)) (T, error) {
	s := UseContext(ctx)
	if f, found := s.Load(kind, key); found {
		v, err := codec.From(f)
		if err == nil {
			return v, nil
		}
		s.logger().Warn("store: the entry is not used and will be made again", "kind", kind, "key", key, "reason", err)
	}
	s.Ready(kind, 0)
	v, err := compute()
	if err != nil {
		return v, err
	}
	f, err := codec.File(v)
	if err != nil {
		return v, fmt.Errorf("store: %s: %w", kind, err)
	}
	s.Keep(kind, key, f)
	return v, nil
}
