package starter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/starter"
)

// A file is submitted, followed to its end, and its delivery handed out.
func Example() {
	collect := func(ctx context.Context, path string) error {
		cfg, err := config.Load(config.Options{Dir: ".", Env: os.LookupEnv})
		if err != nil {
			return err
		}
		client, err := starter.Dial(ctx, cfg, starter.SystemSecrets(), slog.Default())
		if err != nil {
			return err
		}
		defer client.Close()

		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		submitted, err := client.Submit(ctx, starter.Request{Customer: "acme", File: file, FileName: filepath.Base(path)})
		if err != nil {
			return err
		}

		status, err := client.Wait(ctx, submitted.ID, func(s collection.SubmissionStatus) {
			fmt.Printf("%s: %d of %d rows have ended\n", s.State, s.Outcomes.Total(), s.Expected)
		})
		if err != nil {
			return err
		}
		if status.Result == nil {
			return fmt.Errorf("submission %s is %s (%s): %s", submitted.ID, status.State, status.Reason, status.Detail)
		}

		links, err := client.Links(ctx, submitted.ID, 24*time.Hour)
		if err != nil {
			return err
		}
		for _, l := range links {
			fmt.Println(l.Name, l.URL)
		}
		return nil
	}
	if err := collect(context.Background(), "books.csv"); err != nil {
		log.Fatal(err)
	}
}

// The configuration is the same as a worker's: weir.yaml, WEIR_ variables, and Temporal's own environment.
func ExampleDial() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cfg, err := config.Load(config.Options{File: "weir.yaml", Env: os.LookupEnv})
	if err != nil {
		fmt.Println("everything that is wrong with the configuration:", err)
		return
	}
	client, err := starter.Dial(ctx, cfg, starter.SystemSecrets(), slog.Default())
	if err != nil {
		fmt.Println("Temporal or S3 does not answer:", err)
		return
	}
	defer client.Close()
}

// Without an id, the same file is one submission however often it is submitted: after a time-out, submit again.
func ExampleClient_Submit() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	file := strings.NewReader("url\nhttps://books.example/1\n")
	submitted, err := client.Submit(ctx, starter.Request{Customer: "acme", File: file, FileName: "books.csv"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(submitted.ID, submitted.Existing)
	// Output: acme-436631f36bf4 false
}

// A few records need no file. An id of one's own collects the same rows again.
func ExampleClient_Submit_records() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	submitted, err := client.Submit(ctx, starter.Request{
		ID:       "books-2026-03-01",
		Customer: "acme",
		Records: []json.RawMessage{
			json.RawMessage(`{"url": "https://books.example/1", "shelf": 7}`),
			json.RawMessage(`{"source": "books", "isbn": "9780141036144"}`),
		},
		Lane: collection.LaneBulk,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(submitted.ID)
	// Output: books-2026-03-01
}

// What is wrong with a request is told at once, and all of it.
func ExampleClient_Submit_refused() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	_, err := client.Submit(ctx, starter.Request{Customer: "ACME", Lane: "fast"})
	fmt.Println(strings.Contains(err.Error(), `customer "ACME"`), strings.Contains(err.Error(), `lane "fast"`))
	// Output: true true
}

func ExampleClient_Status() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	status, err := client.Status(ctx, "acme-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(status.State, status.Outcomes.Of(collection.OutcomeDelivered), "of", status.Expected)

	_, err = client.Status(ctx, "acme-2")
	fmt.Println(errors.Is(err, starter.ErrNotFound))
	// Output:
	// partially_failed 5 of 6
	// true
}

// Wait ends with the submission, however that ends; the status says how.
func ExampleClient_Wait() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	client := connected() // See ExampleDial.
	status, err := client.Wait(ctx, "acme-1", func(s collection.SubmissionStatus) {
		fmt.Printf("%s: %d of %d\n", s.State, s.Outcomes.Total(), s.Expected)
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println("it goes on; wait again later")
	case err != nil:
		fmt.Println(err)
	case status.State != collection.StateComplete:
		for _, count := range status.Outcomes {
			fmt.Println(count.Outcome, count.Reason, count.Records)
		}
	}
	// Output:
	// partially_failed: 6 of 6
	// delivered  5
	// invalid row_malformed 1
}

// A record is named by its URL, its key or its id.
func ExampleClient_Record() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	record, err := client.Record(ctx, "acme-1", "https://books.example/2")
	switch {
	case err != nil:
		fmt.Println(err)
	case record.Result != nil:
		fmt.Printf("line %d ended %s (%s): %s\n", record.Line, record.Result.Outcome, record.Result.Reason, record.Result.Detail)
	case record.Activity != nil:
		fmt.Printf("line %d is in %s, attempt %d, %s\n", record.Line, record.Stage, record.Activity.Attempt, record.Activity.State)
	default:
		fmt.Printf("line %d is in %s\n", record.Line, record.Stage)
	}
	// Output: line 2 ended dead_lettered (parse_empty): no field was found
}

// Records is an iterator: a list of any length is read one batch at a time, and only as far as somebody looks.
func ExampleClient_Records() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	for row, err := range client.Records(ctx, "acme-1", starter.Filter{Outcome: collection.OutcomeDeadLettered}) {
		if errors.Is(err, starter.ErrNotPlanned) {
			fmt.Println("its file has not been read yet")
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row.Line, row.Key, row.Reason)
	}
	// Output: 2 https://books.example/2 parse_empty
}

func ExampleClient_Links() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	links, err := client.Links(ctx, "acme-1", 24*time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range links {
		fmt.Println(l.Name, l.Records) // l.URL is a secret: whoever has it has the file.
	}
	// Output:
	// manifest.json 0
	// manifest.sha256 0
	// results-00001.jsonl.gz 5
	// failures.jsonl 1
}

// What is delivered stays, and the manifest accounts for the rest.
func ExampleClient_Cancel() {
	ctx, client := context.Background(), connected() // See ExampleDial.
	err := client.Cancel(ctx, "acme-1", "the file was the wrong one")
	fmt.Println(err)
	// Output: <nil>
}
