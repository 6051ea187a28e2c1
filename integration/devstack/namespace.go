package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	persistencespb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/serialization"
	persistencesql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/resolver"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// searchAttributes are the Keyword attributes that weir's workflows set.
var searchAttributes = []string{"WeirCustomer", "WeirSource", "WeirReason"}

// keywordFields is how many Keyword attributes a namespace can have in a SQL database.
const keywordFields = 10

// ensureNamespace creates the namespace, or brings an existing one up to date, and returns its id. It writes to the
// database before the server starts: through the API, the server's caches would learn of it seconds later.
func ensureNamespace(cfg *config.SQL, name string, retention time.Duration) (string, error) {
	created, err := sqliteschema.NewNamespaceConfig(clusterName, name, false, nil)
	if err != nil {
		return "", err
	}
	if err := sqliteschema.CreateNamespaces(cfg, created); err != nil {
		return "", err
	}
	db, err := persistencesql.NewSQLDB(sqlplugin.DbKindMain, cfg, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	return updateNamespace(db, name, retention)
}

func updateNamespace(db sqlplugin.DB, name string, retention time.Duration) (string, error) {
	ctx := context.Background()
	rows, err := db.SelectFromNamespace(ctx, sqlplugin.NamespaceFilter{Name: &name})
	if err != nil {
		return "", fmt.Errorf("read namespace %q: %w", name, err)
	}
	row := rows[0]
	codec := serialization.NewSerializer()
	detail, err := codec.NamespaceDetailFromBlob(persistence.NewDataBlob(row.Data, row.DataEncoding))
	if err != nil {
		return "", fmt.Errorf("read namespace %q: %w", name, err)
	}
	detail.Config.Retention = durationpb.New(retention)
	if err := addSearchAttributes(detail.Config); err != nil {
		return "", fmt.Errorf("namespace %q: %w", name, err)
	}
	blob, err := codec.NamespaceDetailToBlob(detail)
	if err != nil {
		return "", fmt.Errorf("write namespace %q: %w", name, err)
	}
	row.Data, row.DataEncoding = blob.GetData(), blob.GetEncodingType().String()
	if _, err := db.UpdateNamespace(ctx, &row); err != nil {
		return "", fmt.Errorf("write namespace %q: %w", name, err)
	}
	return primitives.UUIDString(row.ID), nil
}

// addSearchAttributes gives each missing attribute a free Keyword column. The map goes from column to attribute.
func addSearchAttributes(ns *persistencespb.NamespaceConfig) error {
	if ns.CustomSearchAttributeAliases == nil {
		ns.CustomSearchAttributeAliases = map[string]string{}
	}
	columns := ns.CustomSearchAttributeAliases
	columnOf := map[string]string{}
	for column, attribute := range columns {
		columnOf[attribute] = column
	}
	keyword := enumspb.INDEXED_VALUE_TYPE_KEYWORD.String()
	for _, attribute := range searchAttributes {
		if column, exists := columnOf[attribute]; exists {
			if !isKeywordColumn(column) {
				return fmt.Errorf("search attribute %s exists with a type other than %s: remove it, or choose another --namespace", attribute, keyword)
			}
			continue
		}
		column, ok := freeKeywordColumn(columns)
		if !ok {
			return fmt.Errorf("no room for search attribute %s, all %d of type %s are in use: remove one, or choose another --namespace",
				attribute, keywordFields, keyword)
		}
		columns[column] = attribute
	}
	return nil
}

func isKeywordColumn(column string) bool {
	rest, ok := strings.CutPrefix(column, "Keyword")
	return ok && len(rest) == 2
}

func freeKeywordColumn(taken map[string]string) (string, bool) {
	for i := 1; i <= keywordFields; i++ {
		column := fmt.Sprintf("Keyword%02d", i)
		if _, used := taken[column]; !used {
			return column, true
		}
	}
	return "", false
}
