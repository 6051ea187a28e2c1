package demo

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"text/template"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/demo/site"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/telemetry"
)

// The names in the demo's configuration.
const (
	customerName = "demo"
	sourceShop   = "shop"
	sourceStock  = "stock"
)

// The sources' ceilings: small, so that the site can be seen to be spared.
const (
	shopCeiling  = 4
	stockCeiling = 2
)

//go:embed weir.yaml.tmpl
var configText string

var configTemplate = template.Must(template.New(config.FileName).Parse(configText))

// configValues are what the configuration's template needs.
type configValues struct {
	Folder, Temporal, Namespace, S3, Region, Bucket string
	AccessKeyFile, SecretKeyFile                    string
	ShopHost, StockHost, StockURL                   string
	ShopCeiling, StockCeiling                       int
}

// writeConfig writes the demo's weir.yaml, for people to read, and loads it as every command would, but without this
// process's environment: the demo must run the same wherever it runs.
func writeConfig(f folder, s *stack.Stack, from *site.Site) (config.Config, error) {
	values := configValues{
		Folder: f.path, Temporal: s.Temporal, Namespace: s.Namespace, S3: s.S3, Region: s.Region, Bucket: s.Bucket,
		AccessKeyFile: f.file("s3-access-key"), SecretKeyFile: f.file("s3-secret-key"),
		ShopHost: site.ShopHost, StockHost: site.StockHost, StockURL: from.URL(site.StockHost, "/api/items/{sku}"),
		ShopCeiling: shopCeiling, StockCeiling: stockCeiling,
	}
	for name, secret := range map[string]string{values.AccessKeyFile: s.AccessKey, values.SecretKeyFile: s.SecretKey} {
		if err := os.WriteFile(name, []byte(secret+"\n"), 0o600); err != nil {
			return config.Config{}, fmt.Errorf("write the demo's keys: %w", err)
		}
	}
	return loadConfig(f, values)
}

func loadConfig(f folder, values configValues) (config.Config, error) {
	var text bytes.Buffer
	if err := configTemplate.Execute(&text, values); err != nil {
		return config.Config{}, fmt.Errorf("write the demo's configuration: %w", err)
	}
	name := f.file(config.FileName)
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		return config.Config{}, fmt.Errorf("write the demo's configuration: %w", err)
	}
	return config.Load(config.Options{
		File: name, CPUs: runtime.GOMAXPROCS(0), Version: telemetry.Version(),
		CheckParse: func(parse collection.Parse, schema []byte) error {
			_, err := extract.Compile(parse, schema)
			return err
		},
	})
}

// folder is where the demo keeps its things.
type folder struct {
	path string
	// temporary says that nobody has asked for it to stay.
	temporary bool
}

func openFolder(name string) (folder, error) {
	if name == "" {
		path, err := os.MkdirTemp("", "weir-demo-*")
		if err != nil {
			return folder{}, fmt.Errorf("make a folder for the demo: %w", err)
		}
		return folder{path: path, temporary: true}, nil
	}
	path, err := filepath.Abs(name)
	if err == nil {
		err = os.MkdirAll(path, 0o700)
	}
	if err != nil {
		return folder{}, fmt.Errorf("make a folder for the demo: %w", err)
	}
	return folder{path: path}, nil
}

func (f folder) file(name string) string { return filepath.Join(f.path, name) }
