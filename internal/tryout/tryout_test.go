package tryout

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/failure"
)

var books = collection.Source{
	Name: "books", Parse: collection.Parse{Type: "html", Fields: []collection.Field{
		{Name: "title", CSS: "h1"}, {Name: "price", CSS: ".price", Type: "number"}, {Name: "isbn", CSS: ".isbn"},
	}},
}

var record = collection.Record{URL: "https://books.example/1"}

func rules(t *testing.T) *extract.Rules {
	t.Helper()
	r, err := extract.Compile(books.Parse, nil)
	require.NoError(t, err)
	return r
}

// steps is a target that answers with a body, and a robots.txt that allows everything.
func steps(body string, seen failure.Observation) Steps {
	return Steps{
		Target: func(_ collection.Source, r collection.Record) (string, error) { return r.URL, nil },
		Robots: func(context.Context, collection.Source, string) (collection.RobotsDecision, error) {
			return collection.RobotsDecision{Allowed: true, Why: "no rule"}, nil
		},
		Fetch: func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation) {
			if failure.Classify(seen) != "" {
				return nil, seen
			}
			return &collection.Response{URL: "https://books.example/1/", Status: 200, ContentType: "text/html",
				Body: []byte(body), Duration: time.Second}, seen
		},
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	report, err := steps(`<p class=price>4.50</p><h1>A</h1>`, failure.Observation{Status: 200}).
		Run(t.Context(), books, record, rules(t), collection.Via{Egress: "east"})
	require.NoError(t, err)
	require.Empty(t, report.Reason)
	require.Equal(t, "east", report.Egress)
	require.Equal(t, "https://books.example/1/", report.Answer.URL)
	require.Len(t, report.Answer.SHA256, 64)
	require.Equal(t, []string{"isbn"}, report.Parse.Missing)
	require.Equal(t, []string{"title", "price"}, []string{report.Parse.Fields[0].Name, report.Parse.Fields[1].Name})
	require.Equal(t, "css h1", report.Parse.Fields[0].Rule)
	require.Equal(t, "A", report.Parse.Fields[0].Value)
}

// TestRunEnds: each step may end the record, with the reason that a worker would give it, and later steps are not reached.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	page := failure.Observation{Status: 200}
	for name, c := range map[string]struct {
		change          func(*Steps)
		reason          collection.Reason
		robots, answers bool
	}{
		"no request": {func(s *Steps) {
			s.Target = func(collection.Source, collection.Record) (string, error) { return "", errors.New("no URL") }
		}, collection.ReasonBadRequest, false, false},
		"robots": {func(s *Steps) {
			s.Robots = func(context.Context, collection.Source, string) (collection.RobotsDecision, error) {
				return collection.RobotsDecision{}, &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "no"}
			}
		}, collection.ReasonRobotsDenied, true, false},
		"answer": {func(s *Steps) { *s = steps("", failure.Observation{Status: 404, Message: "404"}) }, collection.ReasonGone, true, true},
		"parse":  {func(s *Steps) { *s = steps("<p>nothing", page) }, collection.ReasonParseEmpty, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := steps("", page)
			c.change(&s)
			report, err := s.Run(t.Context(), books, record, rules(t), collection.Via{})
			require.NoError(t, err)
			require.Equal(t, c.reason, report.Reason)
			require.NotEmpty(t, report.Detail)
			require.Equal(t, c.robots, report.Robots != nil)
			require.Equal(t, c.answers, report.Answer != nil)
			require.Nil(t, report.Parse)
		})
	}
}

// TestRunChecksRedirects: where a redirect leads is held against robots.txt as well.
func TestRunChecksRedirects(t *testing.T) {
	t.Parallel()
	s := steps("", failure.Observation{Status: 200})
	s.Robots = func(_ context.Context, _ collection.Source, url string) (collection.RobotsDecision, error) {
		if url == "https://books.example/private" {
			return collection.RobotsDecision{}, &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: url}
		}
		return collection.RobotsDecision{Allowed: true}, nil
	}
	var hop error
	s.Fetch = func(ctx context.Context, _ collection.Source, _ collection.Record, via collection.Via) (*collection.Response, failure.Observation) {
		hop = via.Hop(ctx, "https://books.example/private")
		return nil, failure.Observation{Status: 404}
	}
	_, err := s.Run(t.Context(), books, record, rules(t), collection.Via{})
	require.NoError(t, err)
	require.ErrorContains(t, hop, "private")
}

func TestSaved(t *testing.T) {
	t.Parallel()
	report, err := Saved(books, rules(t), extract.Input{Body: []byte("<h1>B</h1>"), ContentType: "text/html", URL: "https://books.example/"})
	require.NoError(t, err)
	require.Equal(t, "B", report.Parse.Fields[0].Value)
	require.Nil(t, report.Answer)
}
