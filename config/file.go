package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readConfigFile finds and reads the configuration file. Without one, name is empty.
func readConfigFile(opts Options) (name string, content []byte, err error) {
	if opts.File != "" {
		content, err = opts.ReadFile(opts.File)
		if err != nil {
			return "", nil, fmt.Errorf("configuration file %s: name a file that exists and can be read: %w", opts.File, err)
		}
		return opts.File, content, nil
	}
	if opts.Dir == "" {
		return "", nil, nil
	}
	name = filepath.Join(opts.Dir, FileName)
	content, err = opts.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("configuration file %s: make it readable, or name another: %w", name, err)
	}
	return name, content, nil
}

// parseYAML turns a file into its tree, nil for an empty one. The tree is sound: it has no key twice in one section and no
// alias within what the alias names.
func parseYAML(content []byte, p *problems) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		reportYAML(err, p)
		return nil
	}
	var sound any
	if err := document.Decode(&sound); err != nil {
		reportYAML(err, p)
		return nil
	}
	var next yaml.Node
	if err := decoder.Decode(&next); err == nil {
		p.list = append(p.list, Problem{
			Origin:  fmt.Sprintf("%s:%d", p.file, next.Line),
			Message: "a second document begins here: keep one document, without ---",
			line:    next.Line,
		})
	} else if !errors.Is(err, io.EOF) {
		reportYAML(err, p)
	}
	if len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

var (
	yamlLinePattern  = regexp.MustCompile(`^line (\d+): (.*)$`)
	yamlValuePattern = regexp.MustCompile("`[^`]*`")
)

// reportYAML reports what the YAML parser said, with file and line. What it quotes of the file is left out, since it may
// be a secret.
func reportYAML(err error, p *problems) {
	messages := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok {
		messages = typed.Errors
	}
	for _, message := range messages {
		problem := Problem{Origin: p.file, Message: message}
		if m := yamlLinePattern.FindStringSubmatch(message); m != nil {
			problem.line, _ = strconv.Atoi(m[1])
			problem.Origin, problem.Message = p.file+":"+m[1], m[2]
		}
		problem.Message = yamlValuePattern.ReplaceAllString(problem.Message, "a value")
		if strings.HasPrefix(problem.Message, "unknown anchor") {
			problem.Message = "a value begins with * and so names an anchor, which does not exist: put the value in quotes"
		}
		problem.Message = "not valid YAML: " + problem.Message
		p.list = append(p.list, problem)
	}
}
