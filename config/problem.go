package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	// Path is the key, for instance "sources[2].hosts[0]"; empty for the file as a whole.
	Path string
	// Value is what was found, as it is shown; empty where nothing was, or where it may be a secret.
	Value string
	// Origin is where it was found: "weir.yaml:14", "WEIR_S3_BUCKET" or "--bucket".
	Origin string
	// Message says what to do.
	Message string

	line int
}

// Error is the problem in one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Value != "" {
		b.WriteString(" = " + p.Value)
	}
	if p.Origin != "" {
		if b.Len() == 0 {
			b.WriteString(p.Origin)
		} else {
			b.WriteString(" (" + p.Origin + ")")
		}
	}
	return b.String() + ": " + p.Message
}

// InvalidError holds every problem of a configuration: those of the file by line, then the others.
type InvalidError struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *InvalidError) Error() string {
	if len(e.Problems) == 1 {
		return "configuration: " + e.Problems[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the configuration has %d problems:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.Error())
	}
	return b.String()
}

// problems collects what is wrong, and knows where every key was found.
type problems struct {
	list []Problem
	// file is the name of the configuration file for messages, or nothing.
	file string
	// lines holds the line of every key of the file. Keys are in lower case, as viper makes header names so.
	lines map[string]int
	// origins holds the variables and flags that set a key.
	origins map[string]string
	// unread holds the keys whose values could not be read: what Validate would say of them is not worth saying.
	unread []string
}

func newProblems(file string) *problems {
	return &problems{file: file, lines: map[string]int{}, origins: map[string]string{}}
}

// found notes the line of a key.
func (p *problems) found(path string, line int) { p.lines[strings.ToLower(path)] = line }

// unreadable reports a value that cannot be used at all; nothing else will be reported about it.
func (p *problems) unreadable(path, value, message string) {
	p.add(path, value, message)
	p.unread = append(p.unread, path)
}

// add reports a problem; value is shown as it is given, so it must not be a secret.
func (p *problems) add(path, value, message string) {
	if p.isUnread(path) {
		return
	}
	problem := Problem{Path: path, Value: value, Message: message}
	if origin, ok := p.origins[path]; ok {
		problem.Origin = origin
	} else if line := p.lineOf(path); line > 0 {
		problem.Origin, problem.line = fmt.Sprintf("%s:%d", p.file, line), line
	} else if path == "" {
		problem.Origin = p.file
	}
	p.list = append(p.list, problem)
}

func (p *problems) isUnread(path string) bool {
	return slices.ContainsFunc(p.unread, func(unread string) bool { return within(path, unread) })
}

// concerns says whether anything was reported about a key or about what stands in it.
func (p *problems) concerns(path string) bool {
	return p.isUnread(path) || slices.ContainsFunc(p.list, func(q Problem) bool { return within(q.Path, path) })
}

// within says whether a key is the other one or stands in it.
func within(path, section string) bool {
	rest, ok := strings.CutPrefix(path, section)
	return ok && section != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// lineOf is the line of a key, or of the nearest section around it: where a missing key belongs.
func (p *problems) lineOf(path string) int {
	path = strings.ToLower(path)
	for path != "" {
		if line, ok := p.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 0
}

// err is nil if nothing was reported.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		if (a.line == 0) != (b.line == 0) {
			return b.line - a.line
		}
		return a.line - b.line
	})
	return &InvalidError{Problems: p.list}
}

// shown is a text as messages show it: quoted, and cut where it is long.
func shown(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
