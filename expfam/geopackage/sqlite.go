//go:build !js

package geopackage

import (
	"context"
	"database/sql"

	"modernc.org/sqlite"
)

// options are for databases of strangers: no function of a schema runs that could do harm, damaged pages are found, and
// nothing is written behind the schema's back.
const options = "file::memory:?_defensive=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&" +
	"_pragma=ignore_check_constraints(1)"

// limitLength is SQLITE_LIMIT_LENGTH, the largest size of a value.
const limitLength = 0

// connect opens an empty database in memory, whose values have at most a number of bytes.
func connect(ctx context.Context, length int) (*sql.DB, *sql.Conn, error) {
	connector, err := sqlite.NewConnector(options)
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = sqlite.Limit(conn, limitLength, length)
	}
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}
