package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plain writes a number as short as it reads well: 5, 7.5, 9.35, 106.
func plain(x float64) string {
	digits := 2
	switch {
	case math.Abs(x) >= 100:
		digits = 0
	case math.Abs(x) >= 10:
		digits = 1
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// grouped writes a whole number with commas: 202,287.
func grouped(x float64) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if x <= -0.5 {
		text = "-" + text
	}
	return text
}

func dollars(x float64) string {
	if x <= -0.5 {
		return "-$" + grouped(-x)
	}
	return "$" + grouped(x)
}

// cents writes a small amount of money: $0.0692.
func cents(x float64) string { return fmt.Sprintf("$%.4f", x) }

// wait writes minutes with one digit. Two digits would claim more than a simulation knows.
func wait(minutes float64) string {
	switch {
	case minutes == 0:
		return "0"
	case minutes >= 1000:
		return grouped(minutes)
	}
	return strconv.FormatFloat(minutes, 'f', 1, 64)
}

// percent writes a share in percent: 95, 95.3.
func percent(share float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*share, 'f', 1, 64), ".0")
}

func months(n int) string {
	if n == 1 {
		return "a month"
	}
	return fmt.Sprintf("%d months", n)
}

func runs(n int) string {
	if n == 1 {
		return "one run"
	}
	return fmt.Sprintf("%d runs", n)
}
