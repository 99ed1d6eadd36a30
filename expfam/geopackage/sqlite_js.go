package geopackage

import (
	"context"
	"database/sql"
	"errors"
)

func connect(context.Context, int) (*sql.DB, *sql.Conn, error) {
	return nil, nil, errors.New("there is no SQLite in a browser; convert the file to GeoJSON, or run the program " +
		"outside of it")
}
