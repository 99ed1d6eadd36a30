package store

import (
	"context"
	"encoding/json"
	"fmt"
)

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

// Once returns the result of compute, or the stored result of an earlier call with the
// same kind and key. The key must cover everything that determines the result; see [Key].
// If compute fails, nothing is stored. A result whose entry cannot be read is computed again.
// A store that fails causes only a warning in the log; see [Use]. If the codec refuses a
// result, the result is returned with the error.
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
