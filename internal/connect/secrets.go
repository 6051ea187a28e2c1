package connect

import (
	"fmt"
	"os"

	"github.com/weir-collect/weir/config"
)

// Secrets reads what references point to.
type Secrets struct {
	Env      func(name string) (string, bool)
	ReadFile func(name string) ([]byte, error)
}

// SystemSecrets reads this process's environment and the file system.
func SystemSecrets() Secrets { return Secrets{Env: os.LookupEnv, ReadFile: os.ReadFile} }

// In reads files relative to the folder of a configuration.
func (s Secrets) In(cfg config.Config) Secrets {
	return Secrets{Env: s.Env, ReadFile: func(name string) ([]byte, error) { return s.ReadFile(cfg.Path(name)) }}
}

// Value reads the secret that a reference names, "env:NAME" or "file:PATH". Errors name the reference alone.
func (s Secrets) Value(reference string) (string, error) {
	secret, err := config.ParseSecret(reference)
	if err != nil {
		return "", err
	}
	return secret.Resolve(s.Env, s.ReadFile)
}

// of reads a configured secret; one that is not set is empty.
func (s Secrets) of(key string, secret config.Secret) (string, error) {
	if secret.IsZero() {
		return "", nil
	}
	value, err := secret.Resolve(s.Env, s.ReadFile)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return value, nil
}
