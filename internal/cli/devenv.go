package cli

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// stackAddresses are where the parts of a stack answer; also what dev prints as JSON.
type stackAddresses struct {
	Temporal  string `json:"temporal"`
	Namespace string `json:"namespace"`
	Web       string `json:"web"`
	S3        string `json:"s3"`
	Bucket    string `json:"bucket"`
	Region    string `json:"region"`
	Data      string `json:"data"`
	// Environment holds the variables that make weir use the stack.
	Environment map[string]string `json:"environment,omitempty"`
}

// stackKeys are what S3 clients of the stack sign with, and the files that hold them.
type stackKeys struct {
	access, secret         string
	accessFile, secretFile string
}

// prepareKeys makes the stack's folder and its keys, or reads those of an earlier start: clients that were told of them
// keep working. The folder keeps itself out of version control.
func prepareKeys(dir string) (stackKeys, error) {
	k := stackKeys{accessFile: filepath.Join(dir, "s3-access-key"), secretFile: filepath.Join(dir, "s3-secret-key")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, fmt.Errorf("make the stack's folder: %w", err)
	}
	var err error
	if k.access, err = keptIn(k.accessFile, func() string { return "weir" }); err != nil {
		return k, err
	}
	if k.secret, err = keptIn(k.secretFile, rand.Text); err != nil {
		return k, err
	}
	_, err = keptIn(filepath.Join(dir, ".gitignore"), func() string { return "*" })
	return k, err
}

// keptIn is the one line of a file, which is made if there is none.
func keptIn(file string, first func() string) (string, error) {
	content, err := os.ReadFile(file)
	if line := strings.TrimSpace(string(content)); err == nil && line != "" {
		return line, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read what the stack's folder keeps: %w", err)
	}
	line := first()
	if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep it in the stack's folder: %w", err)
	}
	return line, nil
}

type variable struct{ name, value string }

// environment is what makes weir use a stack. The environment beats the file, so a weir.yaml for production serves as it
// is.
func environment(at stackAddresses, keys stackKeys) []variable {
	return []variable{
		{"WEIR_TEMPORAL_ADDRESS", at.Temporal},
		{"WEIR_TEMPORAL_NAMESPACE", at.Namespace},
		// Temporal's own environment may say otherwise, for somewhere else.
		{"WEIR_TEMPORAL_TLS_ENABLED", "false"},
		{"WEIR_S3_ENDPOINT", at.S3},
		{"WEIR_S3_REGION", at.Region},
		{"WEIR_S3_BUCKET", at.Bucket},
		{"WEIR_S3_PATH_STYLE", "true"},
		{"WEIR_S3_ACCESS_KEY", "file:" + keys.accessFile},
		{"WEIR_S3_SECRET_KEY", "file:" + keys.secretFile},
	}
}

func envFile(variables []variable) []byte {
	var b bytes.Buffer
	b.WriteString("# What makes weir use the stack of this folder. For a shell: . FILE\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "export %s=%s\n", v.name, shellQuote(v.value))
	}
	return b.Bytes()
}

var shellPlain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// shellQuote makes one word of a shell's.
func shellQuote(text string) string {
	if shellPlain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
