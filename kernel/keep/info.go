package keep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Info says of a file which value it has.
type Info struct {
	File  string   // name of the file, so that one in the place of another is not taken for it
	Type  string   // as Go writes it
	Bytes int      // size of the value in the file
	Words string   // the beginning of the value, for a person
	Names []string // named types behind interfaces, which a program that reads the value has to give to [In]
}

func (i Info) write(out *bytes.Buffer) {
	line, _ := json.Marshal(i)
	out.Write(append(line, '\n'))
}

// parse divides the content of a file.
func parse(data []byte) (info Info, body []byte, err error) {
	line, body, found := bytes.Cut(data, []byte("\n"))
	if !found {
		return info, nil, errors.New("keep: no value")
	}
	return info, body, json.Unmarshal(line, &info)
}

// Look returns what a file in a folder says of its value. A file that is not a regular one has none.
func Look(folder, file string) (info Info, err error) {
	path := filepath.Join(folder, file)
	if about, err := os.Lstat(path); err != nil || !about.Mode().IsRegular() {
		return info, errors.New("keep: no value in " + path)
	}
	f, err := os.Open(path)
	if err != nil {
		return info, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 1<<20)).ReadBytes('\n')
	if err != nil {
		return info, err
	}
	if err = json.Unmarshal(line, &info); err == nil && info.File != file {
		err = errors.New("keep: the file of another value")
	}
	return info, err
}

// Why returns the reason why the value of a file was not kept; "" if there is none.
func Why(folder, file string) string {
	text, err := os.ReadFile(filepath.Join(folder, file+".why"))
	if err != nil {
		return ""
	}
	return string(text)
}
