package npy

import (
	"fmt"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Objects, which NumPy makes of rows of unequal lengths and pandas of texts, are refused by what they are.
func TestObjects(t *testing.T) {
	header := fmt.Sprintf("%-117s\n", "{'descr': '|O', 'fortran_order': False, 'shape': (4,), }")
	data := []byte("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "\x80\x04")
	_, _, err := Decode(data)
	must.Refuse(0, err)(t, "rows of unequal lengths")
	must.Refuse(Texts(data))(t, "texts by a.astype(str)")
}
