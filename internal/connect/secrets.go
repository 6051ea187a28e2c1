package connect

import (
	"log/slog"
	"os"

	"github.com/weir-collect/weir/config"
)

// Secrets reads what references point to.
type Secrets struct {
	Env      func(name string) (string, bool)
	ReadFile func(name string) ([]byte, error)
	// Logger hears of keys of the bucket and of Temporal that cannot be read again; nil is nobody.
	Logger *slog.Logger
}

// SystemSecrets reads this process's environment and the file system.
func SystemSecrets() Secrets { return Secrets{Env: os.LookupEnv, ReadFile: os.ReadFile} }

// In reads files relative to the folder of a configuration.
func (s Secrets) In(cfg config.Config) Secrets {
	return Secrets{
		Env: s.Env, Logger: s.Logger, ReadFile: func(name string) ([]byte, error) { return s.ReadFile(cfg.Path(name)) },
	}
}

// Value reads the secret that a reference names, "env:NAME" or "file:PATH". Errors name the reference alone.
func (s Secrets) Value(reference string) (string, error) {
	secret, err := config.ParseSecret(reference)
	if err != nil {
		return "", err
	}
	return secret.Resolve(s.Env, s.ReadFile)
}
