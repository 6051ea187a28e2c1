package secretrefs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/secretrefs"
)

func TestOf(t *testing.T) {
	t.Parallel()
	require.Empty(t, secretrefs.Of(config.Config{}))

	request := func(ref string) collection.Request {
		return collection.Request{SecretHeaders: map[string]string{"Z": ref + "Z", "A": ref + "A"}, SecretQuery: collection.QuerySecrets{"token": ref + "T"}}
	}
	cfg := config.Config{
		Sources:   []collection.Source{{Name: "books", Request: request("env:S"), Methods: []collection.Method{{Name: "api", Request: request("env:M")}}}},
		Customers: []collection.Customer{{Name: "none"}, {Name: "acme", Destination: collection.Destination{AccessKey: "env:DA", SecretKey: "file:ds"}}},
		Egresses:  []collection.Egress{{Name: "east", User: "env:U", Password: "env:P"}},
	}
	const collect, plan = collection.RoleCollect, collection.RolePlan
	require.Equal(t, []secretrefs.Reference{
		{Key: "user of egress east", Ref: "env:U", Role: collect}, {Key: "password of egress east", Ref: "env:P", Role: collect},
		{Key: "destination.access_key of customer acme", Ref: "env:DA", Role: plan}, {Key: "destination.secret_key of customer acme", Ref: "file:ds", Role: plan},
		{Key: "header A of source books", Ref: "env:SA", Role: collect}, {Key: "header Z of source books", Ref: "env:SZ", Role: collect},
		{Key: "query parameter token of source books", Ref: "env:ST", Role: collect},
		{Key: "header A of source books, method api", Ref: "env:MA", Role: collect}, {Key: "header Z of source books, method api", Ref: "env:MZ", Role: collect},
		{Key: "query parameter token of source books, method api", Ref: "env:MT", Role: collect},
	}, secretrefs.Of(cfg))
}
