package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/weir-collect/weir"

// rule is what a package may depend on, tests left out.
type rule struct {
	// ours are the packages of this module that it may import, by path below the module, "..." for everything below.
	ours []string
	// never are path prefixes that must not be among its dependencies, however far.
	never []string
}

const (
	sdk  = "go.temporal.io/sdk"
	aws  = "github.com/aws/aws-sdk-go-v2"
	gRPC = "google.golang.org/grpc"
)

// layers hold the architecture: what stands nowhere here may not exist.
var layers = map[string]rule{
	"":           {ours: []string{"internal/cli"}},
	"collection": {never: []string{sdk, "net", "os/exec"}},

	"internal/egress":        {ours: []string{"collection", "internal/lease"}, never: []string{sdk, aws, "net", "os/exec"}},
	"internal/lease":         {never: []string{sdk, aws, "os/exec"}},
	"internal/promise":       {ours: []string{"collection", "internal/percentile"}, never: []string{sdk, aws, "net", "os/exec"}},
	"internal/sizing":        {never: []string{sdk, aws, "net", "os/exec"}},
	"internal/sizing/sweep":  {ours: []string{"internal/sizing"}, never: []string{sdk, aws}},
	"internal/sizing/report": {ours: []string{"internal/sizing"}, never: []string{sdk, aws}},
	"internal/sizing/chart":  {ours: []string{"internal/chart", "internal/sizing", "internal/sizing/report"}, never: []string{sdk, aws}},
	"internal/chart":         {never: []string{sdk, aws, "net/http", "os/exec"}},
	"internal/percentile":    {never: []string{sdk, aws, "net", "os/exec"}},
	"internal/urlkey":        {never: []string{sdk, "os/exec"}},
	"internal/robots":        {never: []string{sdk, aws, "net", "os/exec"}},
	"internal/robots/guard":  {ours: []string{"collection", "internal/robots", "internal/urlkey"}, never: []string{sdk, aws}},
	"internal/intake":        {never: []string{sdk, aws, "net/http"}},
	"internal/failure":       {ours: []string{"collection", "internal/urlkey"}, never: []string{sdk, aws}},
	"internal/extract":       {ours: []string{"collection", "internal/urlkey"}, never: []string{sdk, aws}},
	"internal/layout":        {never: []string{sdk, aws, "os/exec"}},
	"internal/tryout":        {ours: []string{"collection", "internal/extract", "internal/failure"}, never: []string{sdk, aws}},
	"internal/retention":     {ours: []string{"collection"}, never: []string{sdk, aws}},
	"internal/quality":       {ours: []string{"collection"}, never: []string{sdk, aws, "net", "os/exec"}},
	"internal/faults":        {never: []string{sdk, aws, "net"}},
	"internal/verdict":       {ours: []string{"collection", "internal/failure"}, never: []string{aws}},

	"internal/fetch":                 {ours: []string{"collection", "internal/failure", "internal/urlkey"}, never: []string{sdk, aws}},
	"internal/fetch/proxytest":       {never: []string{sdk, aws}},
	"internal/objectstore":           {ours: []string{"collection", "internal/failure"}, never: []string{sdk}},
	"internal/objectstore/memstore":  {ours: []string{"collection", "internal/objectstore"}, never: []string{sdk}},
	"internal/objectstore/storetest": {ours: []string{"collection", "internal/objectstore"}, never: []string{sdk}},
	"internal/telemetry":             {ours: []string{"collection"}, never: []string{aws}},
	"internal/stack":                 {never: []string{sdk, aws}},
	"internal/stack/stacktest":       {ours: []string{"internal/stack"}, never: []string{sdk, aws}},
	"internal/connect":               {ours: []string{"collection", "config", "internal/objectstore"}},
	"internal/engine":                {ours: []string{"collection"}, never: []string{aws}},

	"config": {ours: []string{"collection", "internal/urlkey", "internal/extract", "internal/lease", "internal/robots", "internal/retention", "internal/quality"}, never: []string{sdk, aws}},

	"activities": {
		ours:  []string{"collection", "internal/failure", "internal/faults", "internal/extract", "internal/intake", "internal/layout", "internal/urlkey", "internal/verdict", "internal/lease", "internal/retention", "internal/quality"},
		never: []string{aws},
	},
	"workflows": {ours: []string{"collection", "activities", "internal/failure", "internal/lease", "internal/verdict"}, never: []string{aws}},
	"workers": {ours: []string{
		"collection", "config", "activities", "workflows", "internal/connect", "internal/egress", "internal/engine", "internal/extract", "internal/failure",
		"internal/fetch", "internal/lease", "internal/objectstore", "internal/robots", "internal/robots/guard", "internal/secretrefs", "internal/telemetry", "internal/tryout",
	}},
	"starter": {ours: []string{
		"collection", "config", "internal/connect", "internal/engine", "internal/intake", "internal/lease", "internal/objectstore", "internal/promise", "internal/sizing",
		"internal/telemetry",
		"internal/urlkey", "internal/verdict",
	}},

	"internal/probe":       {ours: []string{"collection", "internal/failure", "internal/percentile"}, never: []string{sdk, aws}},
	"internal/probe/drive": {ours: []string{"activities", "collection", "internal/lease", "internal/probe"}, never: []string{aws}},
	"internal/probe/chart": {ours: []string{"internal/chart", "internal/probe"}, never: []string{sdk, aws}},
	"internal/doctor":      {ours: []string{"collection", "config", "internal/engine", "internal/lease", "internal/objectstore", "internal/robots", "internal/secretrefs"}},
	"internal/secretrefs":  {ours: []string{"collection", "config"}, never: []string{sdk, aws}},

	"internal/demo":       {ours: []string{"..."}},
	"internal/cli/screen": {ours: []string{"collection"}, never: []string{sdk, aws}},
	"internal/demo/site":  {never: []string{sdk, aws}},
	"internal/cli":        {ours: []string{"..."}},
	"deploy":              {ours: []string{"collection", "config"}},

	"integration":            {ours: []string{"..."}},
	"integration/bench":      {ours: []string{"..."}},
	"integration/harness":    {ours: []string{"..."}},
	"integration/sourcesite": {never: []string{sdk, aws}},
	"integration/faultproxy": {never: []string{sdk, aws}},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Imports,Deps", "./...").Output()
	require.NoError(t, err)
	var all []listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func below(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestLayers(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		name, ok := below(p.ImportPath)
		require.True(t, ok, p.ImportPath)
		r, known := layers[name]
		require.True(t, known, "package %q has no rule: say in this test what it may import", name)
		seen++
		for _, i := range p.Imports {
			if ours, ok := below(i); ok && !slices.Contains(r.ours, "...") {
				require.Contains(t, r.ours, ours, "package %q must not import it", name)
			}
		}
		for _, dep := range p.Deps {
			for _, never := range r.never {
				require.False(t, dep == never || strings.HasPrefix(dep, never+"/") && never != "net", "package %q depends on %s", name, dep)
			}
		}
	}
	require.Equal(t, len(layers), seen, "a rule is left over for a package that does not exist")
}
