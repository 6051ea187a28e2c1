package connect

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/weir-collect/weir/config"
)

// secretAge is how long a secret is used before it is read again: a rotated one is taken up without a restart. A record that is
// turned away is tried once more when that much time has passed (failure.ConfirmAfter), so it must not grow alone.
const secretAge = time.Minute

// doubtAge is how long even a secret is used that somebody has turned away: a target that refuses every request must not have it
// read for every request.
const doubtAge = 5 * time.Second

// CachedSecrets reads secrets again now and then. When that fails it goes on with the value that it has, since a blip of
// a secret store must not stop the workers.
type CachedSecrets struct {
	secrets Secrets
	now     func() time.Time
	logger  *slog.Logger

	mu     sync.Mutex
	values map[string]cachedSecret
}

type cachedSecret struct {
	value string
	read  time.Time
	// doubted says that it is to be read again before that is due.
	doubted bool
}

// NewCachedSecrets returns an empty cache.
func NewCachedSecrets(s Secrets, now func() time.Time, logger *slog.Logger) *CachedSecrets {
	return &CachedSecrets{secrets: s, now: now, logger: logger, values: map[string]cachedSecret{}}
}

// cached are the same secrets, each read again at the earliest after secretAge.
func (s Secrets) cached() *CachedSecrets {
	logger := s.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return NewCachedSecrets(s, time.Now, logger)
}

// of reads a configured secret, which is set, and says of which key it is where it cannot be read.
func (c *CachedSecrets) of(key string, secret config.Secret) (string, error) {
	value, err := c.Value(secret.String())
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return value, nil
}

// Value is the secret that a reference names.
func (c *CachedSecrets) Value(reference string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.values[reference]
	if ok && !known.doubted && c.now().Sub(known.read) < secretAge {
		return known.value, nil
	}
	value, err := c.secrets.Value(reference)
	if err != nil {
		if !ok {
			return "", err
		}
		c.logger.Warn("a secret cannot be read again; the last value stays in use", "reference", reference, "error", err)
		value = known.value
	}
	c.values[reference] = cachedSecret{value: value, read: c.now()}
	return value, nil
}

// Doubt has a secret read again at its next use, because somebody who was shown it did not accept it, unless it was read within
// the last 5 s.
func (c *CachedSecrets) Doubt(reference string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.values[reference]; ok && c.now().Sub(known.read) >= doubtAge {
		known.doubted = true
		c.values[reference] = known
	}
}
