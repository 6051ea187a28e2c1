package sizing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Where the arrivals of an Assumed came from.
const (
	FromParameters = "parameters"
	FromArrivals   = "arrivals"
	FromMeasured   = "measured"
)

// Assumed is what a fleet was sized for, kept so that later arrivals can be compared with it.
type Assumed struct {
	SavedAt time.Time `json:"saved_at"`
	// From says where the arrivals came from: FromParameters, FromArrivals or FromMeasured.
	From    string  `json:"from"`
	Promise Promise `json:"promise"`
	// Workers are those that the promise took under these arrivals.
	Workers int   `json:"workers"`
	Burst   Burst `json:"burst"`
	// Doubts are how well those figures were known that had been measured themselves, by the keys of Burst; parameters are
	// taken for exact.
	Doubts map[string]Doubt `json:"doubts,omitempty"`
}

// doubt is how well a figure was known; similar is that of the same figure now. Files did not always have doubts: then what was
// measured is taken to have been known as well as it is now.
func (a Assumed) doubt(key string, similar Doubt) Doubt {
	if d, known := a.Doubts[key]; known || a.From != FromArrivals && a.From != FromMeasured {
		return d
	}
	return similar
}

// assumedFile is the file that holds it: one key, by which it is told from a file of parameters.
type assumedFile struct {
	Sizing *Assumed `json:"sizing"`
}

// WriteTo writes the file that ReadAssumed reads. It implements io.WriterTo.
func (a Assumed) WriteTo(w io.Writer) (int64, error) {
	text, err := json.MarshalIndent(assumedFile{&a}, "", "  ")
	if err != nil {
		return 0, fmt.Errorf("write the sizing: %w", err)
	}
	n, err := w.Write(append(text, '\n'))
	return int64(n), err
}

// ReadAssumed reads what a fleet was sized for: a file that was written so, or a file of parameters, as ReadParams does. The
// error is Problems, or a failure to read.
func ReadAssumed(r io.Reader) (Assumed, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxParamsBytes+1))
	if err != nil {
		return Assumed{}, fmt.Errorf("read the sizing: %w", err)
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil || keys["sizing"] == nil {
		p, err := ReadParams(bytes.NewReader(data))
		if err != nil {
			return Assumed{}, err
		}
		return Assumed{From: FromParameters, Promise: p.Promise, Burst: p.Burst()}, nil
	}
	var a Assumed
	if err := json.Unmarshal(keys["sizing"], &a); err != nil {
		return a, Problems{{Where: "sizing", Advice: err.Error() + ": let weir size --save write the file"}}
	}
	return a, a.check()
}

func (a Assumed) check() error {
	var problems Problems
	c := checks{&problems}
	for _, f := range figures {
		// A figure that has a floor may be zero.
		c.number("sizing.burst."+f.key, f.of(a.Burst), 0, f.least > 0, maxJobsPerHour*maxBatch)
		if d, known := a.Doubts[f.key]; known {
			c.number("sizing.doubts."+f.key+".relative_error", d.Error, 0, true, 2*unknowable)
			c.number("sizing.doubts."+f.key+".degrees_of_freedom", d.Freedom, 0, true, maxWeight)
		}
	}
	c.number("sizing.burst.service_minutes", a.Burst.ServiceMinutes, 0, false, maxServiceMinutes)
	return problems.orNil()
}
