package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// span is a flag that takes a time span in which days may stand: 7d, 36h, 1d12h.
type span time.Duration

// longestSpan is ten years: beyond it there is a typing error.
const longestSpan = 3650 * day

// String is the span as Set reads it.
func (s *span) String() string {
	d := time.Duration(*s)
	if d > 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

// Type is what help shows of the value.
func (s *span) Type() string { return "SPAN" }

// Set reads a span.
func (s *span) Set(text string) error {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		days, rest = "0", text
	}
	n, err := strconv.Atoi(days)
	var more time.Duration
	if err == nil && rest != "" {
		more, err = time.ParseDuration(rest)
	}
	tooLong := errors.Is(err, strconv.ErrRange) || n > int(longestSpan/day)
	if !tooLong && (err != nil || n < 0 || more < 0) {
		return fmt.Errorf("use a span such as 7d, 36h or 1d12h")
	}
	if whole := time.Duration(n)*day + more; !tooLong && whole > 0 && whole <= longestSpan {
		*s = span(whole)
		return nil
	}
	return fmt.Errorf("use more than zero, up to %dd", longestSpan/day)
}
