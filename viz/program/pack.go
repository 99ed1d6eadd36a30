package program

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// Pack compresses the HTML of a panel's settings. Pictures of the same figure are much alike, so they compress well.
func Pack(texts []string) string {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		text, _ := json.Marshal(texts) // of texts there is always one
		_, err = z.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil { // a buffer takes everything
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Unpack is the inverse of [Pack]. It refuses texts of more bytes than most.
func Unpack(packed string, most int64) (texts []string, err error) {
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(text, &texts)
}
