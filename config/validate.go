package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the keys of fleet and worker.
const (
	minLeaseTTL     = 3 * time.Second
	maxLeaseTTL     = 5 * time.Minute
	minHeartbeat    = 2 * time.Second
	maxHeartbeat    = 5 * time.Minute
	maxCollects     = 10_000
	minBodyMemory   = int64(1 << 20)
	maxBodyMemory   = int64(1 << 40)
	maxParseSlots   = 1024
	maxDeliverSlots = 10_000
	// maxBatchRecords keeps every batch's history far from Temporal's limits.
	maxBatchRecords  = 500
	minShutdownGrace = time.Second
	maxShutdownGrace = 10 * time.Minute
)

// Validate reports everything that is wrong with the configuration by itself, as one *InvalidError. It looks at no file
// and at no network; Load has done the same and more.
func (c Config) Validate() error {
	p := newProblems("")
	c.check(p)
	return p.err()
}

func (c Config) check(p *problems) {
	c.Temporal.check(p)
	c.S3.check(p)
	checkRange(p, "fleet.lease_ttl", c.Fleet.LeaseTTL, minLeaseTTL, maxLeaseTTL)
	c.Worker.check(p)
	c.Retention.check(p)
	checkUserAgent(c.UserAgent, p)
	checkSources(c.Sources, c.Customers, checkEgresses(c.Egresses, p), p)
	checkCustomers(c.Customers, p)
}

func (t Temporal) check(p *problems) {
	if t.Address != "" {
		if message := addressProblem(t.Address, 1); message != "" {
			p.add("temporal.address", shown(t.Address), message)
		}
	}
	if strings.ContainsAny(t.Namespace, " \t\r\n") {
		p.add("temporal.namespace", shown(t.Namespace), "write the namespace without white space")
	}
	if (t.TLS.CertFile == "") != (t.TLS.KeyFile == "") {
		missing := "key_file"
		if t.TLS.CertFile == "" {
			missing = "cert_file"
		}
		p.add("temporal.tls."+missing, "", "a client certificate needs both cert_file and key_file: set this one too, or neither")
	}
	if key := t.TLS.anyKey(); key != "" && t.TLS.Enabled != nil && !*t.TLS.Enabled {
		p.add("temporal.tls.enabled", "false", "TLS is off, but "+key+" is set: set enabled to true, or take "+key+" away")
	}
}

var bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (s S3) check(p *problems) {
	if s.Endpoint != "" {
		if hasUserinfo(s.Endpoint) {
			p.add("s3.endpoint", "", "write the address without user and password: keys belong into access_key and secret_key")
		} else if !isPlainAddress(s.Endpoint) {
			p.add("s3.endpoint", shown(s.Endpoint), "write the service's URL without a path, for instance https://s3.example.com:9000, or nothing for AWS")
		}
	}
	if s.Region == "" || strings.ContainsAny(s.Region, " \t\r\n") {
		p.add("s3.region", shown(s.Region), "write a region, for instance us-east-1, even where the service ignores it")
	}
	if !bucketPattern.MatchString(s.Bucket) || strings.Contains(s.Bucket, "..") {
		p.add("s3.bucket", shown(s.Bucket), "write the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens")
	}
	if s.AccessKey.IsZero() != s.SecretKey.IsZero() {
		missing := "secret_key"
		if s.AccessKey.IsZero() {
			missing = "access_key"
		}
		p.add("s3."+missing, "", "access_key and secret_key belong together: set this one too, or neither")
	}
}

func (w Worker) check(p *problems) {
	checkRange(p, "worker.heartbeat_timeout", w.HeartbeatTimeout, minHeartbeat, maxHeartbeat)
	checkRange(p, "worker.max_collects", w.MaxCollects, 1, maxCollects)
	checkSize(p, "worker.body_memory", w.BodyMemory, minBodyMemory, maxBodyMemory)
	checkRange(p, "worker.parse_slots", w.ParseSlots, 1, maxParseSlots)
	checkRange(p, "worker.deliver_slots", w.DeliverSlots, 1, maxDeliverSlots)
	checkRange(p, "worker.batch_records", w.BatchRecords, 1, maxBatchRecords)
	checkRange(p, "worker.shutdown_grace", w.ShutdownGrace, minShutdownGrace, maxShutdownGrace)
	checkOneOf(p, "worker.log_format", w.LogFormat, "text", "json")
	checkOneOf(p, "worker.log_level", w.LogLevel, "debug", "info", "warn", "error")
	if w.MetricsAddress != "" {
		if message := addressProblem(w.MetricsAddress, 0); message != "" {
			p.add("worker.metrics_address", shown(w.MetricsAddress), message)
		}
	}
}

// checkSize refuses a number of bytes that is not within bounds.
func checkSize(p *problems, path string, value, least, most int64) {
	if value < least || value > most {
		p.add(path, sizeText(value), fmt.Sprintf("use %s to %s", sizeText(least), sizeText(most)))
	}
}

// checkRange refuses what is not within bounds; a NaN is not.
func checkRange[T cmp.Ordered](p *problems, path string, value, least, most T) {
	if value >= least && value <= most {
		return
	}
	text := func(v T) string { return scalarText(reflect.ValueOf(v)) }
	p.add(path, text(value), fmt.Sprintf("use %s to %s", text(least), text(most)))
}

func checkOneOf(p *problems, path, value string, allowed ...string) {
	if slices.Contains(allowed, value) {
		return
	}
	last := len(allowed) - 1
	p.add(path, shown(value), "use "+strings.Join(allowed[:last], ", ")+" or "+allowed[last])
}

// addressProblem says what is wrong with a host:port, or nothing. Who listens may use port 0 for any free one.
func addressProblem(address string, leastPort int) string {
	if strings.Contains(address, "://") {
		return "write host:port, without a scheme"
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "write host:port, an IPv6 address in brackets"
	}
	if n, err := strconv.Atoi(port); err != nil || n < leastPort || n > 65535 {
		return fmt.Sprintf("write host:port with a port number of %d to 65535", leastPort)
	}
	return ""
}

func hasUserinfo(address string) bool {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return false
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "@")
}

// isPlainAddress says whether a URL names a scheme and a host, and nothing that would be lost.
func isPlainAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		(u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}
