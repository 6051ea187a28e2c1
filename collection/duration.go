package collection

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a time.Duration that is written as text ("1m30s"), so that a person can read it in a history or a manifest.
type Duration time.Duration

// Std is the duration as the standard library knows it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String is the form in which the duration is written.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads what MarshalJSON wrote. A bare number is refused, since its unit would be a guess.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("duration %s: write it with a unit, for instance \"90s\"", b)
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("duration %q: write it with a unit, for instance \"90s\"", text)
	}
	*d = Duration(v)
	return nil
}
