package harness

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/extract"

	"github.com/weir-collect/weir/collection"
)

// Source is one source of the fleet's configuration. Zero fields take weir's defaults.
type Source struct {
	Name string
	Host string
	// Hosts are further ones.
	Hosts   []string
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
	// More are further keys of the customer's section, in YAML's flow style.
	More []string
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
		cmp.Or(f.options.S3, f.Stack.S3), f.Stack.Region, f.Stack.Bucket, envAccessKey, envSecretKey)
	fmt.Fprintf(&b, "worker: {metrics_address: \"\", heartbeat_timeout: %s, shutdown_grace: 10s, log_level: %s}\n",
		f.options.HeartbeatTimeout, f.options.LogLevel)
	fmt.Fprintf(&b, "fleet: {lease_ttl: %s}\n", f.options.LeaseTTL)
	fmt.Fprintf(&b, "user_agent: %q\n", cmp.Or(f.options.UserAgent, "weir-test (+https://example.com/contact)"))
	for _, line := range f.options.More {
		b.WriteString(line + "\n")
	}
	b.WriteString("sources:\n")
	for _, s := range f.options.Sources {
		hosts := strings.Join(append([]string{strconv.Quote(s.Host)}, quoted(s.Hosts)...), ", ")
		fmt.Fprintf(&b, "  - name: %s\n    hosts: [%s]\n    ceiling: %d\n    allow_private_addresses: true\n", s.Name, hosts, max(s.Ceiling, 1))
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
		for _, key := range c.More {
			b.WriteString(", " + key)
		}
		b.WriteString("}\n")
	}
	path := filepath.Join(f.dir, "weir.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return "", fmt.Errorf("write the fleet's configuration: %w", err)
	}
	return path, nil
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
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
