package starter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// Request is a submission to be made: a file, or the records themselves.
type Request struct {
	// ID of the submission. Empty derives it from what is submitted, so that submitting the same again, for instance after
	// a time-out, finds the first one instead of starting a second. Give one to collect the same rows again.
	ID       string
	Customer string
	// File is read twice: once for its digest, once to upload it.
	File io.ReadSeeker
	// FileName is the file's base name; its extension helps to tell the format.
	FileName string
	Format   string
	// Records are JSON objects, at most collection.MaxInlineBytes together; instead of File.
	Records []json.RawMessage
	// Source of rows that name none and whose URL belongs to none. Optional.
	Source string
	Lane   collection.Lane
	// Tolerate is how many rows may be lost for the submission to be good enough; none when nil. It is no part of a derived id.
	Tolerate *collection.Tolerance
}

// Submitted says what came of a request.
type Submitted struct {
	ID    string `json:"id"`
	RunID string `json:"run_id"`
	// Existing is set when the same submission was there before: nothing was uploaded or started.
	Existing bool `json:"existing"`
}

// Submit uploads the file and starts the submission. It returns when the engine has recorded the submission; none of the
// work happens in the call. A file that cannot be a submission is refused before anything is uploaded, and so is another
// customer's, or another file, under an id that was given before: with a *collection.IDTakenError.
func (c *Client) Submit(ctx context.Context, r Request) (Submitted, error) {
	r.FileName = baseName(r.FileName)
	in := collection.SubmissionInput{
		Customer: r.Customer, Format: r.Format, Records: r.Records, Source: r.Source, Lane: r.Lane, Tolerate: r.Tolerate,
	}
	derived := r.ID == ""
	size, sum, err := identify(&r, in)
	if err != nil {
		return Submitted{}, err
	}
	if r.File != nil {
		in.Upload = collection.UploadKey(r.Customer, r.ID, r.FileName)
	}
	if err := errors.Join(collection.CheckSubmissionID(r.ID), in.Check()); err != nil {
		return Submitted{}, fmt.Errorf("the submission cannot be accepted: %w", err)
	}
	origin, err := originOf(in, sum)
	if err != nil {
		return Submitted{}, err
	}
	w := claim{id: r.ID, origin: origin, derived: derived}
	if known, ok, err := c.known(ctx, w); ok || err != nil {
		return known, err
	}
	if r.File != nil {
		if err := precheck(r); err != nil {
			return Submitted{}, err
		}
		if _, err := r.File.Seek(0, io.SeekStart); err != nil {
			return Submitted{}, fmt.Errorf("read %s: %w", r.FileName, err)
		}
		_, err := c.store.Upload(ctx, in.Upload, r.File, size, "application/octet-stream")
		var other *collection.ConflictError
		switch {
		case errors.As(err, &other):
			return Submitted{}, fmt.Errorf("submission %s was made of another %s before: give this one another id: %w", r.ID, r.FileName, err)
		case err != nil:
			return Submitted{}, fmt.Errorf("upload %s: %w", r.FileName, err)
		}
	}
	return c.start(ctx, r, in, w)
}

// maxFileName bounds the part of an upload's key that the caller names; S3 gateways over file systems take no more than
// 255 bytes in one part.
const maxFileName = 120

// baseName is a file's name without its folders, long ones cut at the front, where the extension is not.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if len(name) > maxFileName {
		name = name[len(name)-maxFileName:]
	}
	// The cut may have split a character, and a file system may know no UTF-8; keys are UTF-8.
	name = strings.ToValidUTF8(name, "")
	if name == "" || name == "." || name == ".." || name == "/" {
		return "records"
	}
	return name
}

// identify completes the request's id, and returns the file's size and its digest.
func identify(r *Request, in collection.SubmissionInput) (size int64, digest string, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n", in.Customer, in.Source, in.Format)
	if r.File != nil {
		file := sha256.New()
		if _, err = r.File.Seek(0, io.SeekStart); err == nil {
			size, err = io.Copy(io.MultiWriter(sum, file), r.File)
		}
		if err != nil {
			return 0, "", fmt.Errorf("read %s: %w", r.FileName, err)
		}
		digest = hex.EncodeToString(file.Sum(nil))
	}
	for _, record := range in.Records {
		fmt.Fprintf(sum, "%s\n", record)
	}
	if r.ID == "" {
		r.ID = fmt.Sprintf("%s-%s", r.Customer, hex.EncodeToString(sum.Sum(nil))[:12])
	}
	return size, digest, nil
}

func (c *Client) start(ctx context.Context, r Request, in collection.SubmissionInput, w claim) (Submitted, error) {
	customer := temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)
	run, err := c.engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                    r.ID,
		TaskQueue:             collection.QueueWorkflows,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		// Not USE_EXISTING: then the answer would not tell our run from another's.
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		TypedSearchAttributes:    temporal.NewSearchAttributes(customer.ValueSet(r.Customer)),
		Priority:                 temporal.Priority{FairnessKey: r.Customer},
		StaticSummary:            collection.Clip(summary(r), collection.MaxKeyShown),
		StaticDetails:            details(r, in),

		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, collection.WorkflowSubmission, in)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		// It came between our look and our start.
		known, ok, err := c.known(ctx, w)
		if err == nil && !ok {
			err = fmt.Errorf("submission %s was started by somebody else and has ended already: submit it again", r.ID)
		}
		return known, err
	}
	if err != nil {
		return Submitted{}, fmt.Errorf("start submission %s: %w", r.ID, err)
	}
	return Submitted{ID: r.ID, RunID: run.GetRunID()}, nil
}

func summary(r Request) string {
	if r.File != nil {
		return fmt.Sprintf("%s: %s", r.Customer, r.FileName)
	}
	return fmt.Sprintf("%s: %d records", r.Customer, len(r.Records))
}

func details(r Request, in collection.SubmissionInput) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Submission `%s` of customer `%s`.\n", r.ID, r.Customer)
	if in.Upload != "" {
		fmt.Fprintf(&b, "\n- File: `%s`", in.Upload)
	}
	if in.Source != "" {
		fmt.Fprintf(&b, "\n- Source of rows that name none: `%s`", in.Source)
	}
	fmt.Fprintf(&b, "\n- Delivery: `%s`\n", collection.DeliveryPrefix(r.Customer, r.ID))
	return b.String()
}

// precheck refuses a file of which no row could become a record. The plan looks at every row; this spares an upload.
func precheck(r Request) error {
	if _, err := r.File.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", r.FileName, err)
	}
	rows, err := intake.Open(r.File, intake.Options{Name: r.FileName, Format: r.Format})
	if err != nil {
		return err
	}
	if columns := rows.Header(); columns != nil && r.Source == "" && !hasColumn(columns, "url") && !hasColumn(columns, "source") {
		return &intake.HeaderError{Name: r.FileName, Line: 1, Reason: fmt.Sprintf("the file has no column url or source, so no row says what to collect: "+
			"its columns are %s; rename one, or name the source of all rows", strings.Join(columns, ", "))}
	}
	_, err = rows.Next()
	var bad *intake.RowError
	switch {
	case errors.Is(err, io.EOF):
		return &intake.HeaderError{Name: r.FileName, Line: 1, Reason: "the file holds no records"}
	case err != nil && !errors.As(err, &bad):
		return err
	}
	return nil
}

func hasColumn(columns []string, name string) bool {
	for _, c := range columns {
		if strings.EqualFold(strings.TrimSpace(c), name) {
			return true
		}
	}
	return false
}
