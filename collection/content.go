package collection

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Content is what a submission was made of and how its rows are to be read. Two submissions of the same content and customer
// have the same rows; what the file is called does not matter.
type Content struct {
	// Upload is the object key of the submitted file; empty where the records came within the submission.
	Upload string `json:"upload,omitempty"`
	// SHA256 is the hex digest of the file's bytes, or of the records as RecordsDigest has it; empty where it is not known.
	SHA256 string `json:"sha256,omitempty"`
	// Source and Format are those that were asked for.
	Source string `json:"source,omitempty"`
	Format string `json:"format,omitempty"`
}

// ContentOf is the content of a submission whose file or records have that digest.
func ContentOf(in SubmissionInput, sha256 string) Content {
	return Content{Upload: in.Upload, SHA256: sha256, Source: in.Source, Format: in.Format}
}

// RecordsDigest is the hex SHA-256 of records within a submission, as JSON Lines: whatever way they have travelled, the same
// records have the same digest. Its error names the record that is not JSON, from 0.
func RecordsDigest(records []json.RawMessage) (string, error) {
	sum := sha256.New()
	for i, r := range records {
		// The encoder leaves out white space and escapes, as every client's does on the way.
		line, err := json.Marshal(r)
		if err != nil {
			return "", fmt.Errorf("records[%d] is not JSON: %w", i, err)
		}
		fmt.Fprintf(sum, "%s\n", line)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Origin is where a submission comes from.
type Origin struct {
	Customer string
	// Content is nil where only the customer is known, as of plans that were made before they kept it.
	Content *Content
}

// Origin is where the planned submission comes from.
func (p PlanResult) Origin() Origin { return Origin{Customer: p.Customer, Content: p.Content} }

// IDTakenError says that an id is of another submission already.
type IDTakenError struct {
	Submission string
	// Differences are half sentences: "it is customer acme's, not initech's".
	Differences []string
}

// Error names the id and everything that differs.
func (e *IDTakenError) Error() string {
	return fmt.Sprintf("the id %s is of another submission already: %s; give this one another id", e.Submission, strings.Join(e.Differences, "; "))
}

// CheckSame compares a submission with the one that had its id before. What is not known of one of them is no difference. The
// error is an *IDTakenError.
func CheckSame(id string, before, now Origin) error {
	var differences []string
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	if before.Customer != now.Customer {
		differ("it is customer %s's, not %s's", before.Customer, now.Customer)
	}
	if b, n := before.Content, now.Content; b != nil && n != nil {
		if !b.sameRows(*n) {
			differ("it was made of %s, not of %s", b.shown(), n.shown())
		}
		if b.Source != n.Source {
			differ("its source for rows that name none is %s, not %s", orNone(b.Source), orNone(n.Source))
		}
		if b.Format != n.Format {
			differ("its format was given as %s, not as %s", orNone(b.Format), orNone(n.Format))
		}
	}
	if len(differences) > 0 {
		return &IDTakenError{Submission: id, Differences: differences}
	}
	return nil
}

// sameRows compares by digest, and by name where there is none.
func (c Content) sameRows(other Content) bool {
	if c.SHA256 != "" && other.SHA256 != "" {
		return c.SHA256 == other.SHA256
	}
	return c.Upload == other.Upload
}

// digestShown is how much of a digest a person needs to tell two apart.
const digestShown = 12

func (c Content) shown() string {
	what := c.Upload
	if what == "" {
		what = "records within the submission"
	}
	if len(c.SHA256) > digestShown {
		what += " (SHA-256 " + c.SHA256[:digestShown] + "...)"
	}
	return what
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name
}
