package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/extract"

	"github.com/weir-collect/weir/collection"
)

// Source is one source of the fleet's configuration. Zero fields take weir's defaults.
type Source struct {
	Name    string
	Host    string
	Ceiling int
	Timeout time.Duration
	// More are further lines of the source's section, without indentation.
	More []string
}

// Customer is one customer of the fleet's configuration.
type Customer struct {
	Name   string
	Weight float64
	Lanes  []string
}

// pageRules read the pages of sourcesite.
const pageRules = `    parse:
      type: html
      fields:
        - {name: title, css: h1, required: true}
        - {name: price, css: .price, type: number}
`

// writeConfig writes the fleet's weir.yaml and returns its path.
func (f *Fleet) writeConfig() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "temporal: {address: %q, namespace: %q}\n", f.Stack.Temporal, f.Stack.Namespace)
	fmt.Fprintf(&b, "s3: {endpoint: %q, region: %q, bucket: %q, path_style: true, access_key: \"env:%s\", secret_key: \"env:%s\"}\n",
		f.Stack.S3, f.Stack.Region, f.Stack.Bucket, envAccessKey, envSecretKey)
	fmt.Fprintf(&b, "worker: {metrics_address: \"\", heartbeat_timeout: %s, shutdown_grace: 10s, log_level: %s}\n",
		f.options.HeartbeatTimeout, f.options.LogLevel)
	fmt.Fprintf(&b, "fleet: {lease_ttl: %s}\n", f.options.LeaseTTL)
	b.WriteString("user_agent: \"weir-test (+https://example.com/contact)\"\nsources:\n")
	for _, s := range f.options.Sources {
		fmt.Fprintf(&b, "  - name: %s\n    hosts: [%q]\n    ceiling: %d\n    allow_private_addresses: true\n", s.Name, s.Host, max(s.Ceiling, 1))
		if s.Timeout > 0 {
			fmt.Fprintf(&b, "    timeout: %s\n", s.Timeout)
		}
		parse := pageRules
		for _, line := range s.More {
			fmt.Fprintf(&b, "    %s\n", line)
			if strings.HasPrefix(line, "parse:") {
				parse = ""
			}
		}
		b.WriteString(parse)
	}
	b.WriteString("customers:\n")
	for _, c := range f.options.Customers {
		fmt.Fprintf(&b, "  - {name: %s, weight: %g", c.Name, max(c.Weight, 1))
		if len(c.Lanes) > 0 {
			fmt.Fprintf(&b, ", lanes: [%s]", strings.Join(c.Lanes, ", "))
		}
		b.WriteString("}\n")
	}
	path := filepath.Join(f.dir, "weir.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return "", fmt.Errorf("write the fleet's configuration: %w", err)
	}
	return path, nil
}

func loadConfig(path string) (config.Config, error) {
	return config.Load(config.Options{
		File: path, Env: os.LookupEnv, CPUs: 2, Version: "test",
		CheckParse: func(p collection.Parse, schema []byte) error {
			_, err := extract.Compile(p, schema)
			return err
		},
	})
}
