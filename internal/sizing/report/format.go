package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/internal/sizing"
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

// digits is how many digits after the point a share has in percent as it was written: none for 0.95, two for 0.9999.
func digits(share float64) int {
	_, after, _ := strings.Cut(strconv.FormatFloat(share, 'f', -1, 64), ".")
	return max(0, len(after)-2)
}

// exactly writes a share in percent as it was written: 95, 99.99.
func exactly(share float64) string { return strconv.FormatFloat(100*share, 'f', digits(share), 64) }

// percent writes a share in percent with one digit, or none where it is zero: 95, 95.3.
func percent(share float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*share, 'f', 1, 64), ".0")
}

// inTime writes a share in time in percent, with so many digits that it can be compared with the promise. It is cut where rounding
// would say that all jobs are in time, or the promised share, and they are not.
func (r Report) inTime(share float64) string { return r.cut(share, max(1, digits(r.Promise.Share))) }

// cut is inTime with so many digits after the point.
func (r Report) cut(share float64, after int) string {
	text := strconv.FormatFloat(100*share, 'f', after, 64)
	shown, _ := strconv.ParseFloat(text, 64)
	for _, claim := range []float64{1, r.Promise.Share} {
		if share < claim && shown >= 100*claim {
			power := math.Pow(10, float64(after))
			return strconv.FormatFloat((100*claim*power-1)/power, 'f', after, 64)
		}
	}
	return text
}

// short is inTime without a tenth that is zero.
func (r Report) short(share float64) string { return strings.TrimSuffix(r.inTime(share), ".0") }

// both is inTime with its interval.
func (r Report) both(i sizing.Interval) string { return r.known(i, max(1, digits(r.Promise.Share))) }

// finely is both with a digit more.
func (r Report) finely(i sizing.Interval) string {
	return r.known(i, max(1, digits(r.Promise.Share))+1)
}

func (r Report) known(i sizing.Interval, after int) string {
	return fmt.Sprintf("%s ± %.*f", r.cut(i.Value, after), after, 100*i.HalfWidth)
}

// reach writes a wait and how well it is known. The spread of runs says nothing of how far below zero a wait may be: it then
// says how large it may be.
func reach(i sizing.Interval) string {
	if i.Lower() < 0 {
		return fmt.Sprintf("%.1f (or up to %.1f)", i.Value, i.Value+i.HalfWidth)
	}
	return i.Text(1, 1)
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
