package geopackage

import (
	"fmt"
	"strings"
)

// table is a table with the names of its columns.
type table struct {
	columns []string
	id      int // the column that has the number of the row, or −1
	root    int
	d       *database
}

// table finds a table by its name.
func (d *database) table(name string) (*table, error) {
	var found *table
	err := d.rows(1, func(_ int64, row []value) error {
		if len(row) < 5 || row[0] != "table" {
			return nil
		}
		own, _ := row[1].(string)
		root, _ := row[3].(int64)
		sql, _ := row[4].(string)
		if strings.EqualFold(own, name) {
			columns, id := columnsOf(sql)
			found = &table{columns, id, int(root), d}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil || len(found.columns) == 0 {
		return nil, fmt.Errorf("it has no table %q, as a GeoPackage has", name)
	}
	return found, nil
}

// columnsOf returns the names of the columns of a CREATE TABLE statement, and the one that is an alias of the number of
// the row.
func columnsOf(sql string) (names []string, id int) {
	id = -1
	_, body, found := strings.Cut(sql, "(")
	if !found {
		return nil, id
	}
	depth, start := 1, 0
	var quote byte
	column := func(text string) {
		text = strings.TrimSpace(text)
		if text == "" {
			return
		}
		name, rest := text, ""
		if closing := map[byte]string{'"': `"`, '`': "`", '[': "]", '\'': "'"}[text[0]]; closing != "" {
			name, rest, _ = strings.Cut(text[1:], closing)
		} else if at := strings.IndexAny(text, " \t\r\n"); at >= 0 {
			name, rest = text[:at], text[at:]
			switch strings.ToUpper(name) {
			case "PRIMARY", "UNIQUE", "CONSTRAINT", "CHECK", "FOREIGN":
				return
			}
		}
		upper := strings.ToUpper(rest)
		if strings.HasPrefix(strings.TrimSpace(upper), "INTEGER") && strings.Contains(upper, "PRIMARY KEY") {
			id = len(names)
		}
		names = append(names, name)
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				column(body[start:i])
				return names, id
			}
		case c == ',' && depth == 1:
			column(body[start:i])
			start = i + 1
		}
	}
	return nil, -1
}

// each calls visit with every row by the names of its columns.
func (t *table) each(visit func(row map[string]value) error) error {
	return t.d.rows(t.root, func(id int64, row []value) error {
		named := map[string]value{}
		for k, name := range t.columns {
			if k < len(row) {
				named[name] = row[k]
			}
			if k == t.id {
				named[name] = id
			}
		}
		return visit(named)
	})
}
