package config

import (
	"fmt"
	"maps"
	"time"

	"github.com/weir-collect/weir/collection"
)

// FileName is the configuration file that is looked for where none is named.
const FileName = "weir.yaml"

// defaults are the values of keys that nobody set. Those of temporal.* are missing on purpose: see Temporal.
func defaults(opts Options) map[string]any {
	version := opts.Version
	if version == "" {
		version = "dev"
	}
	values := map[string]any{
		"s3.region":                "us-east-1",
		"s3.bucket":                "weir",
		"fleet.lease_ttl":          15 * time.Second,
		"worker.heartbeat_timeout": 20 * time.Second,
		"worker.max_collects":      200,
		"worker.body_memory":       int64(512 << 20),
		"worker.parse_slots":       max(opts.CPUs, 1),
		"worker.deliver_slots":     32,
		"worker.batch_records":     maxBatchRecords,
		"worker.metrics_address":   "127.0.0.1:9464",
		"worker.log_format":        "text",
		"worker.log_level":         "info",
		"worker.shutdown_grace":    20 * time.Second,
		"user_agent":               fmt.Sprintf("weir/%s (+https://github.com/weir-collect/weir)", version),
	}
	maps.Copy(values, retentionDefaults())
	return values
}

// sourceDefaults are the values of a source's keys that it does not set itself.
func sourceDefaults() map[string]any {
	return map[string]any{
		"ceiling": 1,
		"pace":    0.0,
		"burst":   2,
		"breaker": map[string]any{
			"window": time.Minute, "faults": 5, "percent": 50, "open": 15 * time.Second, "max_open": 10 * time.Minute,
		},
		"prefetch":      2,
		"timeout":       30 * time.Second,
		"attempts":      5,
		"backoff":       map[string]any{"min": time.Second, "max": 5 * time.Minute},
		"give_up_after": 24 * time.Hour,
		"max_body":      int64(10 << 20),
		"robots":        collection.RobotsObey,
		"checks":        checkDefaults(),
	}
}

// requestDefaults are the values of keys that say how a record is asked for: of a method, or of a source without methods.
func requestDefaults() map[string]any {
	return map[string]any{"request": map[string]any{"method": "GET"}}
}

// customerDefaults are the values of a customer's keys that it does not set itself. The urgent lane stands above
// fairness, and so has to be granted.
func customerDefaults() map[string]any {
	return map[string]any{
		"weight": 1.0,
		"lanes":  []any{string(collection.LaneNormal), string(collection.LaneBulk)},
	}
}

// fillSources gives every source, and each of its methods, the defaults that it lacks. The own request of a source that has
// methods stays as it is: nobody would use it, and so it must not be there.
func fillSources(tree map[string]any) {
	fillList(tree, "sources", sourceDefaults)
	sources, _ := tree["sources"].([]any)
	for _, item := range sources {
		source := item.(map[string]any)
		if methods, _ := source["methods"].([]any); len(methods) > 0 {
			fillList(source, "methods", requestDefaults)
		} else {
			fill(source, requestDefaults())
		}
	}
}

// fillList gives every item of a list the defaults that it lacks. The reader makes every item a section, also one that it
// could not read.
func fillList(tree map[string]any, key string, defaults func() map[string]any) {
	items, _ := tree[key].([]any)
	for _, item := range items {
		fill(item.(map[string]any), defaults())
	}
}

func fill(section, defaults map[string]any) {
	for key, value := range defaults {
		have, set := section[key]
		if !set {
			section[key] = value
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			if given, ok := have.(map[string]any); ok {
				fill(given, inner)
			}
		}
	}
}
