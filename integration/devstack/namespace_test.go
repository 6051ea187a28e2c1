package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	persistencespb "go.temporal.io/server/api/persistence/v1"
)

func TestEnsureNamespaceIsIdempotent(t *testing.T) {
	dir := t.TempDir()
	dbs := newDatabases(dir)
	require.NoError(t, dbs.prepare(dir))
	first, err := ensureNamespace(dbs.workflows, "default", time.Hour)
	require.NoError(t, err)
	second, err := ensureNamespace(dbs.workflows, "default", 2*time.Hour)
	require.NoError(t, err)
	require.Equal(t, first, second)
	other, err := ensureNamespace(dbs.workflows, "other", time.Hour)
	require.NoError(t, err)
	require.NotEqual(t, first, other)
}

func TestAddSearchAttributes(t *testing.T) {
	full := map[string]string{}
	for i := 1; i <= keywordFields; i++ {
		full[fmt.Sprintf("Keyword%02d", i)] = fmt.Sprintf("Other%d", i)
	}
	nearlyFull := maps.Clone(full)
	delete(nearlyFull, "Keyword07")
	nearlyFull["Keyword03"], nearlyFull["Keyword09"] = "WeirSource", "WeirReason"

	cases := map[string]struct {
		before  map[string]string
		wantErr string
	}{
		"new namespace":        {before: nil},
		"complete already":     {before: map[string]string{"Keyword05": "WeirCustomer", "Keyword06": "WeirSource", "Keyword01": "WeirReason"}},
		"one column left":      {before: nearlyFull},
		"no column left":       {before: full, wantErr: "no room for search attribute WeirCustomer"},
		"taken by another":     {before: map[string]string{"Int01": "WeirSource"}, wantErr: "WeirSource exists with a type"},
		"taken by a list type": {before: map[string]string{"KeywordList01": "WeirReason"}, wantErr: "WeirReason exists with a type"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ns := &persistencespb.NamespaceConfig{CustomSearchAttributeAliases: maps.Clone(c.before)}
			err := addSearchAttributes(ns)
			if c.wantErr != "" {
				require.ErrorContains(t, err, c.wantErr)
				return
			}
			require.NoError(t, err)
			named := slices.Collect(maps.Values(ns.GetCustomSearchAttributeAliases()))
			require.Subset(t, named, searchAttributes)
			for column, attribute := range c.before {
				require.Equal(t, attribute, ns.GetCustomSearchAttributeAliases()[column], "existing columns keep their attribute")
			}
			slices.Sort(named)
			require.Equal(t, named, slices.Compact(slices.Clone(named)), "no attribute twice")
		})
	}
}
