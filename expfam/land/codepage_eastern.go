//go:build !js

package land

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// eastern has the code pages of East Asia. Their tables are too large for programs in a page.
var eastern = map[int]encoding.Encoding{
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	20932: japanese.EUCJP, 51932: japanese.EUCJP, 51936: simplifiedchinese.GBK, 51949: korean.EUCKR,
	54936: simplifiedchinese.GB18030,
}

// labelled returns the code page of a label of the web, and its usual name.
func labelled(label string) (page encoding.Encoding, name string, err error) {
	if page, err = htmlindex.Get(label); err == nil {
		name, err = htmlindex.Name(page)
	}
	return page, name, err
}
