package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
)

func TestPrepareTwiceKeepsTheTables(t *testing.T) {
	// The characters that a file URI would swallow.
	dir := filepath.Join(t.TempDir(), "50% #1? ü")
	dbs := newDatabases(dir)
	require.NoError(t, dbs.prepare(dir))
	require.NoError(t, dbs.prepare(dir))
	for _, name := range []string{"workflows.db", "visibility.db"} {
		require.FileExists(t, filepath.Join(dir, "temporal", name))
	}
}

func TestPragmasAreInEffect(t *testing.T) {
	dir := t.TempDir()
	dbs := newDatabases(dir)
	require.NoError(t, dbs.prepare(dir))
	db, err := sql.Open(sqlite.PluginName, "file:"+filepath.Join(dir, "temporal", "workflows.db"))
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	var mode string
	require.NoError(t, db.QueryRow("PRAGMA journal_mode").Scan(&mode))
	require.Equal(t, "wal", mode, "the one pragma that the file itself remembers")
	for name := range dbs.workflows.ConnectAttributes {
		require.NotEqual(t, '_', rune(name[0]), "%s would be ignored by SQLite", name)
	}
}

func TestUnusableDatabases(t *testing.T) {
	cases := map[string]func(t *testing.T, path string){
		"not a database": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, make([]byte, 8192), 0o644))
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("hello")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		},
		"tables of something else": func(t *testing.T, path string) {
			db, err := sql.Open(sqlite.PluginName, "file:"+path)
			require.NoError(t, err)
			_, err = db.Exec("CREATE TABLE invoices (id INT)")
			require.NoError(t, err)
			require.NoError(t, db.Close())
		},
		"damaged in the middle": damage,
		"a folder":              func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o755)) },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "temporal", "workflows.db")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			spoil(t, path)
			err := newDatabases(dir).prepare(dir)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, "--data (weir dev: --dir)")
		})
	}
}

// damage overwrites the middle of a sound database.
func damage(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open(sqlite.PluginName, "file:"+path)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE namespaces (name TEXT)")
	require.NoError(t, err)
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO namespaces SELECT hex(randomblob(200)) FROM n`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(i * 7)
	}
	_, err = f.WriteAt(noise, 8192)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
