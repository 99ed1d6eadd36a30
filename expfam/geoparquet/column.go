package geoparquet

import (
	"encoding/json"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/expfam/lab/expfam/land"
)

// column is a column of properties.
type column struct {
	name string
	read func(parquet.Value) any
}

// readerOf returns how values of a type become properties, nil if they are left out.
func readerOf(t parquet.Type) func(parquet.Value) any {
	kind := t.Kind()
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		switch of := logical.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return func(v parquet.Value) any { return string(v.ByteArray()) }
		case *format.DateType:
			return func(v parquet.Value) any { return time.Unix(86400*int64(v.Int32()), 0).UTC().Format(time.DateOnly) }
		case *format.TimestampType:
			return moment(of)
		case *format.DecimalType:
			return decimal(kind, of.Scale)
		case *format.IntType:
			if !of.IsSigned {
				return unsigned(kind)
			}
		default:
			return nil
		}
	}
	switch kind {
	case parquet.Boolean:
		return func(v parquet.Value) any { return v.Boolean() }
	case parquet.Int32:
		return func(v parquet.Value) any { return land.Number(int64(v.Int32())) }
	case parquet.Int64:
		return func(v parquet.Value) any { return land.Number(v.Int64()) }
	case parquet.Float:
		return func(v parquet.Value) any { return float64(v.Float()) }
	case parquet.Double:
		return func(v parquet.Value) any { return v.Double() }
	}
	return nil
}

// unsigned reads numbers that have no sign.
func unsigned(kind parquet.Kind) func(parquet.Value) any {
	if kind == parquet.Int32 {
		return func(v parquet.Value) any { return float64(v.Uint32()) }
	}
	return func(v parquet.Value) any {
		if n := v.Int64(); n < 0 {
			return json.Number(strconv.FormatUint(uint64(n), 10))
		}
		return land.Number(v.Int64())
	}
}

// moment reads a date and a time as text of ISO 8601, with Z if it is one of UTC.
func moment(of *format.TimestampType) func(parquet.Value) any {
	layout, unit := "2006-01-02T15:04:05.999999999", int64(of.Unit.Value.Duration())
	if of.IsAdjustedToUTC {
		layout += "Z"
	}
	return func(v parquet.Value) any {
		second := int64(time.Second) / unit
		whole, part := v.Int64()/second, v.Int64()%second
		return time.Unix(whole, part*unit).UTC().Format(layout)
	}
}

// decimal reads a whole number of 10^−scale.
func decimal(kind parquet.Kind, scale int32) func(parquet.Value) any {
	if scale < 0 || scale > 76 {
		return nil
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return func(v parquet.Value) any {
		n := new(big.Int)
		switch kind {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default: // big-endian two's complement
			b := v.ByteArray()
			if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		if scale == 0 && n.BitLen() > 53 { // an identifier, as SQL's DECIMAL(18)
			return json.Number(n.String())
		}
		x, _ := new(big.Rat).SetFrac(n, unit).Float64()
		return x
	}
}
