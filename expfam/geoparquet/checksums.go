package geoparquet

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkPages compares the pages of a file with their checksums, where it has them: parquet-go compares those of pages
// of data, and not those of dictionaries, which are the values of most columns. A program gives all pages of data of a
// group of rows a checksum or none, so that a page without one among others has a damaged header.
func checkPages(data []byte, of *format.FileMetaData) error {
	for k, group := range of.RowGroups {
		with, without := 0, ""
		for _, c := range group.Columns {
			name := strings.Join(c.MetaData.PathInSchema, ".")
			at := c.MetaData.DataPageOffset
			if first := c.MetaData.DictionaryPageOffset; first > 0 && first < at {
				at = first
			}
			size := c.MetaData.TotalCompressedSize
			if at < 0 || size < 0 || at > int64(len(data)) || size > int64(len(data))-at {
				return fmt.Errorf("its column %q ends behind the file; %w", name, errCut)
			}
			rest := data[at : at+size]
			for len(rest) > 0 {
				r, header := bytes.NewReader(rest), format.PageHeader{}
				err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&header)
				size := int(header.CompressedPageSize)
				if err != nil || size < 0 || size > r.Len() {
					break // parquet-go says what is wrong with it
				}
				page := rest[len(rest)-r.Len():][:size]
				rest = rest[len(rest)-r.Len()+size:]
				isData := header.DataPageHeader.Valid || header.DataPageHeaderV2.Valid
				switch {
				case header.CRC != 0 && uint32(header.CRC) != crc32.ChecksumIEEE(page):
					return fmt.Errorf("a page of its column %q has another checksum than the file says; %w", name,
						errCut)
				case isData && header.CRC != 0:
					with++
				case isData && size > 0:
					without = name
				}
			}
		}
		if with > 0 && without != "" {
			return fmt.Errorf("a page of its column %q has no checksum, and %d pages of group %d have one; %w", without,
				with, k, errCut)
		}
	}
	return nil
}
