package geopackage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// database is a SQLite database in memory.
type database struct {
	db   *sql.DB
	conn *sql.Conn
	size int // of its file, in bytes
}

var errCut = errors.New("the file is cut or damaged; copy it again")

// open returns the database whose file has the data, of which it changes two bytes: SQLite opens no database in memory
// whose header says that a log is beside it.
func open(data []byte) (*database, error) {
	if len(data) < 100 || string(data[:16]) != "SQLite format 3\x00" {
		return nil, errors.New("this is no SQLite database, as a GeoPackage is; give another file")
	}
	data[18], data[19] = 1, 1
	db, conn, err := connect(context.Background(), max(len(data), 1<<20))
	if err != nil {
		return nil, err
	}
	d := &database{db, conn, len(data)}
	err = conn.Raw(func(c any) error { return c.(interface{ Deserialize([]byte) error }).Deserialize(data) })
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "PRAGMA query_only = 1")
	}
	if err != nil {
		d.close()
		return nil, damaged(err.Error())
	}
	return d, nil
}

func (d *database) close() { d.db.Close() }

// damaged is errCut with what SQLite says.
func damaged(says string) error {
	return fmt.Errorf("%w (SQLite: %s)", errCut, strings.TrimSpace(says))
}

// quoted returns a name as SQL has it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// table is a table with the names of its columns.
type table struct {
	name    string
	columns []string
	flags   []bool // the columns that are BOOLEAN
	d       *database
}

// table finds a table by its name, and checks that its pages are whole and that no page belongs to it twice, so that it
// has no more bytes than the file.
func (d *database) table(name string) (*table, error) {
	t := &table{d: d}
	var made string
	ctx := context.Background()
	err := d.conn.QueryRowContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND "+
		"name = ? COLLATE NOCASE", name).Scan(&t.name, &made)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("it has no table %q, as a GeoPackage has", name)
	case err != nil:
		return nil, damaged(err.Error())
	case strings.HasPrefix(strings.ToUpper(made), "CREATE VIRTUAL"):
		return nil, fmt.Errorf("its table %q is virtual; a layer of a GeoPackage is a table of its own", name)
	}
	err = d.each("PRAGMA quick_check("+quoted(t.name)+")", nil, func(row []any) error {
		// A missing value where the schema wants one harms nobody.
		if says := fmt.Sprint(row[0]); says != "ok" && !strings.HasPrefix(says, "NULL value in ") {
			return damaged(says)
		}
		return nil
	})
	if err == nil {
		err = d.each("SELECT name, upper(type) FROM pragma_table_info(?)", []any{t.name}, func(row []any) error {
			t.columns, t.flags = append(t.columns, fmt.Sprint(row[0])), append(t.flags, row[1] == "BOOLEAN")
			return nil
		})
	}
	return t, err
}

// each calls visit with every row of a query: nil, int64, float64, string or []byte.
func (d *database) each(query string, arguments []any, visit func(row []any) error) error {
	rows, err := d.conn.QueryContext(context.Background(), query, arguments...)
	if err != nil {
		return damaged(err.Error())
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return damaged(err.Error())
	}
	for rows.Next() {
		row, at := make([]any, len(columns)), make([]any, len(columns))
		for k := range row {
			at[k] = &row[k]
		}
		if err := rows.Scan(at...); err != nil {
			return damaged(err.Error())
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return damaged(err.Error())
	}
	return nil
}

// rows returns all rows by the names of the columns. Defaults of columns that were added later stand in the file once
// and in every row, so their sum is limited.
func (t *table) rows() (all []map[string]any, err error) {
	var terms []string
	for _, c := range t.columns {
		terms = append(terms, "+"+quoted(c)) // without + a date would not come as its text
	}
	if len(terms) == 0 {
		return nil, errCut
	}
	size := 0
	err = t.d.each("SELECT "+strings.Join(terms, ", ")+" FROM "+quoted(t.name), nil, func(row []any) error {
		named := map[string]any{}
		for k, v := range row {
			switch v := v.(type) {
			case string:
				if size += len(v); !utf8.ValidString(v) {
					return fmt.Errorf("the text %.20q is no UTF-8; write it as UTF-8", v)
				}
			case []byte:
				size += len(v)
			}
			if n, whole := v.(int64); whole && t.flags[k] {
				v = n != 0
			}
			named[t.columns[k]] = v
		}
		if size > 16*t.d.size {
			return errCut
		}
		all = append(all, named)
		return nil
	})
	return all, err
}
