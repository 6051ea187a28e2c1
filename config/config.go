package config

import (
	"path/filepath"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Config is a whole configuration. It is not changed once Load has returned it.
type Config struct {
	Temporal Temporal `mapstructure:"temporal"`
	S3       S3       `mapstructure:"s3"`
	Fleet    Fleet    `mapstructure:"fleet"`
	Worker   Worker   `mapstructure:"worker"`
	// Retention says how long weir's own objects are kept.
	Retention Retention `mapstructure:"retention"`
	// UserAgent names the operator to every site. The default names the program only; an operator's own should hold a
	// contact, so that a site's owner can ask before blocking.
	UserAgent string `mapstructure:"user_agent"`
	// Egresses are the egresses that sources can use besides the direct one.
	Egresses  []collection.Egress   `mapstructure:"egresses"`
	Sources   []collection.Source   `mapstructure:"sources"`
	Customers []collection.Customer `mapstructure:"customers"`

	dir string
	// schemas are the contents of schema files, by their names as parse rules write them.
	schemas map[string][]byte
	index   *Index
}

// Temporal says where the engine is. Everything here is empty unless it was set: an empty key falls back to Temporal's
// own TEMPORAL_ environment and profile, and then to localhost:7233 and the namespace "default".
type Temporal struct {
	// Address is the frontend's host:port.
	Address   string `mapstructure:"address"`
	Namespace string `mapstructure:"namespace"`
	// APIKey is a reference to the key of Temporal Cloud or of a server that wants one.
	APIKey Secret `mapstructure:"api_key"`
	TLS    TLS    `mapstructure:"tls"`
}

// TLS says how the connection to Temporal is secured. Files are named relative to the configuration file.
type TLS struct {
	// Enabled turns TLS on or off; nil leaves it to WantsTLS and to Temporal's own environment.
	Enabled *bool `mapstructure:"enabled"`
	// CertFile and KeyFile are the client's certificate and key, PEM; both or neither.
	CertFile string `mapstructure:"cert_file"`
	KeyFile  string `mapstructure:"key_file"`
	// CAFile holds the authorities that may have signed the server's certificate, PEM; the system's when empty.
	CAFile string `mapstructure:"ca_file"`
	// ServerName is the name that the server's certificate must hold, where it differs from the address.
	ServerName string `mapstructure:"server_name"`
}

// S3 says where weir's bucket is.
type S3 struct {
	// Endpoint is the URL of an S3-compatible service; empty means AWS.
	Endpoint string `mapstructure:"endpoint"`
	Region   string `mapstructure:"region"`
	Bucket   string `mapstructure:"bucket"`
	// PathStyle puts the bucket into the path instead of the host name, as most services other than AWS want it.
	PathStyle bool `mapstructure:"path_style"`
	// AccessKey and SecretKey are references; with neither, AWS's default credential chain decides.
	AccessKey Secret `mapstructure:"access_key"`
	SecretKey Secret `mapstructure:"secret_key"`
}

// Fleet is what holds for all workers together; each of them is to be given the same.
type Fleet struct {
	// LeaseTTL is how long a worker's permits last without renewal. The shorter, the sooner the permits of a lost worker are
	// free again, and the more renewals: a worker renews three times within it.
	LeaseTTL time.Duration `mapstructure:"lease_ttl"`
}

// Worker says how one worker process spends its machine. It changes no source's load: a ceiling holds over all workers.
type Worker struct {
	// HeartbeatTimeout is the silence after which a collecting worker counts as lost.
	HeartbeatTimeout time.Duration `mapstructure:"heartbeat_timeout"`
	// MaxCollects is how many collects this process runs at once, over all sources: it bounds memory.
	MaxCollects int `mapstructure:"max_collects"`
	// BodyMemory bounds the bodies over 1 MiB that this process holds, in bytes. While one is fetched and stored it counts as
	// its source's MaxBody; while it is parsed, as 32 times its size, for the tree that it becomes.
	BodyMemory int64 `mapstructure:"body_memory"`
	// ParseSlots is how many responses are parsed at once; one per CPU unless set.
	ParseSlots int `mapstructure:"parse_slots"`
	// DeliverSlots is how many documents are delivered at once.
	DeliverSlots int `mapstructure:"deliver_slots"`
	// BatchRecords is the largest number of records in a batch.
	BatchRecords int `mapstructure:"batch_records"`
	// MetricsAddress is where Prometheus reads, host:port; empty turns it off.
	MetricsAddress string `mapstructure:"metrics_address"`
	// LogFormat is "text" or "json".
	LogFormat string `mapstructure:"log_format"`
	// LogLevel is "debug", "info", "warn" or "error".
	LogLevel string `mapstructure:"log_level"`
	// ShutdownGrace is how long running work may take to end once the process was told to stop.
	ShutdownGrace time.Duration `mapstructure:"shutdown_grace"`
}

// WantsTLS says whether this configuration by itself asks for TLS: it is enabled, or left open while a key of it is set or
// an API key, which must not travel in the clear.
func (t Temporal) WantsTLS() bool {
	if t.TLS.Enabled != nil {
		return *t.TLS.Enabled
	}
	return !t.APIKey.IsZero() || t.TLS.anyKey() != ""
}

// anyKey is the name of the first key that makes sense only with TLS, or nothing.
func (t TLS) anyKey() string {
	switch {
	case t.CertFile != "":
		return "cert_file"
	case t.KeyFile != "":
		return "key_file"
	case t.CAFile != "":
		return "ca_file"
	case t.ServerName != "":
		return "server_name"
	}
	return ""
}

// Path is where a file named in the configuration is: relative names start at the folder of the configuration file, or
// at the working directory if there was none.
func (c Config) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}

// Schema is the content of the schema file that a source's own parse rules name, as Load read it; nil for a source without
// one.
func (c Config) Schema(source string) []byte {
	s, _ := c.Source(source)
	return c.schemas[s.Parse.Schema]
}

// SchemaOf is the content of the schema file of the rules that read the responses of one of a source's methods, as Load read
// it; nil where they have none. Methods are named as for collection.Source.By, and the rules are those of the source that By
// returns: the source's own where the method has none.
func (c Config) SchemaOf(source, method string) []byte {
	s, _ := c.Source(source)
	s, known := s.By(method)
	if !known {
		return nil
	}
	return c.schemas[s.Parse.Schema]
}
