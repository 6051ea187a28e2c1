package cli

import (
	"fmt"
	"slices"
	"strings"
)

// The forms of an answer.
const (
	outputTable = "table"
	outputJSON  = "json"
)

// choice is a flag that takes one of a few words. The empty word means that nothing was chosen.
type choice struct {
	value   string
	allowed []string
	name    string
}

// String is the chosen word.
func (c *choice) String() string { return c.value }

// Type is what help shows of the value.
func (c *choice) Type() string { return c.name }

// Set takes a word, if it is one of the allowed.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		last := len(c.allowed) - 1
		return fmt.Errorf("use %s or %s", strings.Join(c.allowed[:last], ", "), c.allowed[last])
	}
	c.value = text
	return nil
}
