package config

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblemError(t *testing.T) {
	t.Parallel()
	tests := map[string]Problem{
		`s3.bucket = "A" (weir.yaml:3): write it so`: {Path: "s3.bucket", Value: `"A"`, Origin: "weir.yaml:3", Message: "write it so"},
		`s3.bucket (WEIR_S3_BUCKET): write it so`:    {Path: "s3.bucket", Origin: "WEIR_S3_BUCKET", Message: "write it so"},
		`s3.bucket = "A": write it so`:               {Path: "s3.bucket", Value: `"A"`, Message: "write it so"},
		`weir.yaml:3: not valid YAML`:                {Origin: "weir.yaml:3", Message: "not valid YAML"},
	}
	for want, problem := range tests {
		require.Equal(t, want, problem.Error())
	}
}

func TestProblemsComeByLineThenTheOthers(t *testing.T) {
	t.Parallel()
	p := newProblems("weir.yaml")
	require.NoError(t, p.err())
	p.found("s3.bucket", 9)
	p.found("worker", 4)
	p.origins["user_agent"] = "WEIR_USER_AGENT"
	p.add("user_agent", "", "third")
	p.add("s3.bucket", "", "second")
	p.add("customers", "", "fourth")
	p.add("worker.log_level", "", "first")
	requireProblems(t, p.err(),
		"worker.log_level (weir.yaml:4): first",
		"s3.bucket (weir.yaml:9): second",
		"user_agent (WEIR_USER_AGENT): third",
		"customers: fourth",
	)
}

// TestUnreadableKeysAreReportedOnce: what could not be read is not called missing or out of bounds as well.
func TestUnreadableKeysAreReportedOnce(t *testing.T) {
	t.Parallel()
	p := newProblems("")
	p.unreadable("sources[1]", "", "cannot be read")
	p.add("sources[1]", "", "again")
	p.add("sources[1].name", "", "missing")
	p.add("sources[1][0]", "", "missing")
	p.add("sources[10].name", "", "another source")
	p.add("sources", "", "the list around it")
	requireProblems(t, p.err(), "sources[1]: cannot be read", "sources[10].name: another source", "sources: the list around it")

	require.True(t, p.concerns("sources[1].parse"), "it stands in what could not be read")
	require.True(t, p.concerns("sources[10]"), "something in it was reported")
	require.False(t, p.concerns("sources[10].parse"))
	require.False(t, p.concerns("sources[2]"))
}

func TestOneUnreadableFileIsOneProblem(t *testing.T) {
	t.Parallel()
	p := newProblems("weir.yaml")
	p.unreadable("", "", "not a section")
	p.add("s3.bucket", "", "still looked at")
	requireProblems(t, p.err(), "weir.yaml: not a section", "s3.bucket: still looked at")
}

func TestProblemCanBeTakenOutOfTheError(t *testing.T) {
	t.Parallel()
	_, err := loadText("s3: {bucket: A}")
	invalid, ok := errors.AsType[*InvalidError](err)
	require.True(t, ok)
	require.Equal(t, "s3.bucket", invalid.Problems[0].Path)
	require.Equal(t, `"A"`, invalid.Problems[0].Value)
	require.Equal(t, "weir.yaml:1", invalid.Problems[0].Origin)
}
