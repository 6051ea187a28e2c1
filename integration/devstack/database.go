package main

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistencesql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/resolver"
	sqliteschema "go.temporal.io/server/schema/sqlite"
)

// checkedSize is the largest database file, in bytes, that is verified page by page at start. Larger ones are only opened:
// reading gigabytes would make every restart slow.
const checkedSize = 64 << 20

// databases are the two SQLite files. Visibility has its own, so that its many index writes do not queue behind the
// transactions of workflows.
type databases struct{ workflows, visibility *config.SQL }

func newDatabases(dataDir string) databases {
	dir := filepath.Join(dataDir, "temporal")
	return databases{
		workflows:  sqliteFile(filepath.Join(dir, "workflows.db")),
		visibility: sqliteFile(filepath.Join(dir, "visibility.db")),
	}
}

// sqliteFile is the connection to one file. One connection, because SQLite has one writer and the server's transactions
// read before they write; NORMAL, because WAL with NORMAL survives a killed process, and only losing power can undo the
// last commits. Attribute names are plain pragma names: with a leading underscore they would be ignored without a word.
func sqliteFile(path string) *config.SQL {
	return &config.SQL{
		PluginName:   sqlite.PluginName,
		DatabaseName: escapePath(path),
		MaxConns:     1,
		MaxIdleConns: 1,
		ConnectAttributes: map[string]string{
			"mode":               "rwc",
			"cache":              "private",
			"journal_mode":       "wal",
			"synchronous":        "normal",
			"busy_timeout":       "10000",
			"temp_store":         "memory",
			"cache_size":         "-65536", // KiB
			"wal_autocheckpoint": "4000",   // pages
			"journal_size_limit": "67108864",
		},
	}
}

// escapePath protects the characters that mean something in SQLite's file URI.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// prepare creates the files and their schema, or checks the ones that are there.
func (d databases) prepare(dataDir string) error {
	dir := filepath.Join(dataDir, "temporal")
	if err := keptFolder(dir); err != nil {
		return folderError(dataDir, err)
	}
	for name, cfg := range map[string]*config.SQL{"workflows.db": d.workflows, "visibility.db": d.visibility} {
		path := filepath.Join(dir, name)
		if err := checkFile(path); err != nil {
			return databaseError(path, err)
		}
		if err := ensureSchema(cfg); err != nil {
			return databaseError(path, err)
		}
	}
	return nil
}

func databaseError(path string, err error) error {
	return fmt.Errorf("database %s cannot be used (%w): move the file away to start empty, or choose another folder with --data (weir dev: --dir)", path, err)
}

// checkFile looks for damage in an existing file. SQLite itself would only stumble over it later.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if info.Size() > checkedSize {
		return nil
	}
	db, err := sql.Open(sqlite.PluginName, "file:"+escapePath(path)+"?mode=rw")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New("it is damaged: " + verdict)
	}
	return nil
}

// ensureSchema creates all tables in one transaction, so that a process killed half-way leaves an empty file.
func ensureSchema(cfg *config.SQL) error {
	db, err := persistencesql.NewSQLAdminDB(sqlplugin.DbKindUnknown, cfg, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()

	tables, err := db.ListTables(cfg.DatabaseName)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		if !slices.Contains(tables, "executions_visibility") || !slices.Contains(tables, "namespaces") {
			return errors.New("it holds the tables of something else")
		}
		return nil
	}
	if err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := sqliteschema.SetupSchemaOnDB(db); err != nil {
		return errors.Join(err, db.Exec("ROLLBACK"))
	}
	return db.Exec("COMMIT")
}
