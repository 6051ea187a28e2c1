package sizing

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The columns of a file of arrivals. Unknown columns are left alone: ledgers have many.
const (
	columnAt      = "submitted_at"
	columnJobs    = "jobs"
	columnBatch   = "submission"
	columnService = "service_minutes"
)

// maxApart is how far the rows of one batch may be apart. Its jobs count as handed in at once, and a name that is used again on
// another day is another batch.
const maxApart = 15 * time.Minute

// maxRowProblems is how many bad rows are reported before reading stops.
const maxRowProblems = 20

// ReadHistory reads recorded arrivals from CSV with a header row. The column submitted_at (RFC 3339) is required. A row is
// one job, or as many as its column jobs says; rows with the same submission, or without that column the same moment, are
// one batch, and must not be far apart. The column service_minutes may give how long each job of the row occupied a worker, on average.
//
// The error is Problems, naming lines, or a failure to read. Whether there is enough to size from is for History.Check.
func ReadHistory(r io.Reader) (*History, error) {
	reader := csv.NewReader(r)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, Problems{{Where: "line 1", Advice: "the file is empty: begin with a header row that has " + columnAt}}
	}
	if err != nil {
		return nil, rowError(err)
	}
	c, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	h := &History{}
	seen := map[string]int{}
	var problems Problems
	for len(problems) < maxRowProblems {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, append(problems, rowError(err)...)
		}
		line, _ := reader.FieldPos(0)
		one, wrong := c.parse(row, fmt.Sprintf("line %d", line))
		if len(wrong) > 0 {
			problems = append(problems, wrong...)
			continue
		}
		if wrong := h.apart(one, seen, line); wrong != nil {
			problems = append(problems, *wrong)
			continue
		}
		h.book(one, seen)
	}
	h.Sort()
	return h, problems.orNil()
}

// rowError words what the reader of CSV refuses.
func rowError(err error) Problems {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return Problems{{Where: fmt.Sprintf("line %d", parse.Line), Advice: parse.Err.Error() + ": write one row with as many fields as the header"}}
	}
	return Problems{{Where: "the file", Advice: "cannot be read: " + err.Error()}}
}

// columns are the positions of the columns, -1 for one that is not there.
type columns struct{ at, jobs, batch, service int }

func columnsOf(header []string) (columns, error) {
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
	}
	c := columns{
		at: slices.Index(names, columnAt), jobs: slices.Index(names, columnJobs),
		batch: slices.Index(names, columnBatch), service: slices.Index(names, columnService),
	}
	if c.at < 0 {
		return c, Problems{{Where: "line 1", Advice: fmt.Sprintf("the header has no column %s: name the column of arrival times so", columnAt)}}
	}
	return c, nil
}

// arrival is one row.
type arrival struct {
	at      time.Time
	jobs    int
	batch   string
	service float64 // NaN where the row has none
}

func (c columns) parse(row []string, line string) (arrival, Problems) {
	var problems Problems
	out := arrival{jobs: 1, service: math.NaN()}
	field := func(i int) string {
		if i < 0 {
			return ""
		}
		return strings.TrimSpace(row[i])
	}
	at, err := time.Parse(time.RFC3339, field(c.at))
	if err != nil {
		problems.add(line+", "+columnAt, strconv.Quote(field(c.at)), "write a time such as 2026-03-01T08:30:00Z")
	}
	out.at = at
	if text := field(c.jobs); text != "" {
		if out.jobs, err = strconv.Atoi(text); err != nil || out.jobs < 1 || out.jobs > maxBatch {
			problems.add(line+", "+columnJobs, strconv.Quote(text), "write a whole number from 1 to %d", int(maxBatch))
		}
	}
	if text := field(c.service); text != "" {
		if out.service, err = strconv.ParseFloat(text, 64); err != nil || !(out.service >= 0 && out.service <= maxServiceMinutes) {
			problems.add(line+", "+columnService, strconv.Quote(text), "write minutes from 0 to %d", maxServiceMinutes)
		}
	}
	out.batch = strings.Clone(field(c.batch))
	if out.batch == "" {
		out.batch = at.UTC().Format(time.RFC3339Nano)
	}
	return out, problems
}

// apart is what is wrong with a row that is far from the others of its batch, or nil.
func (h *History) apart(row arrival, seen map[string]int, line int) *Problem {
	i, known := seen[row.batch]
	if !known {
		return nil
	}
	off := row.at.Sub(h.Batches[i].At).Abs()
	if off <= maxApart {
		return nil
	}
	return &Problem{
		Where: fmt.Sprintf("line %d, %s", line, columnAt), Given: row.at.Format(time.RFC3339),
		Advice: fmt.Sprintf("it is %s from another row of submission %q, and rows of one submission are one batch: give each batch a name of its own, or leave the column %s empty",
			off.Round(time.Minute), row.batch, columnBatch),
	}
}

// book adds a row. A batch arrives with its first row.
func (h *History) book(row arrival, seen map[string]int) {
	i, known := seen[row.batch]
	if !known {
		i = len(h.Batches)
		seen[row.batch] = i
		h.Batches = append(h.Batches, Recorded{At: row.at})
	}
	if !math.IsNaN(row.service) {
		h.Services = append(h.Services, ServiceTime{Minutes: row.service, Jobs: float64(row.jobs), Group: i})
	}
	h.Batches[i].Jobs += row.jobs
	if row.at.Before(h.Batches[i].At) {
		h.Batches[i].At = row.at
	}
}
