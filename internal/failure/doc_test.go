package failure

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite docs/reasons.md from the table")

const reasonsDoc = "../../docs/reasons.md"

const reasonsIntro = `# Reasons

A reason is a stable code that says why a record ended as it did, or why an attempt failed. Reasons stand in ledgers,
manifests, ` + "`failures.jsonl`" + ` and the search attribute ` + "`WeirReason`" + `. They are never renamed; new ones may be added.

This page is rendered from the table in ` + "`internal/failure`" + `, which the program itself follows. To change it, change the
table and run ` + "`go test ./internal/failure -run TestReasonsDoc -update`" + `.

- **retry**: whether another try can help, and how it waits. *soon* is the shortest wait, ` + "`backoff.min`" + ` and a little; if the
  trouble stays, it becomes *backoff*, which grows with jitter so that the wait before the last attempt is between half of
  ` + "`backoff.max`" + ` and the whole: an outage shorter than that ends no good record;
  *retry_after* is backoff, and longer where the target asks for it; *confirm* is backoff, and at least a minute, since name
  servers go on saying for a while what they said once.
- **charged**: whether such a try counts against the source's ` + "`attempts`" + `. What says nothing about the record itself is not
  charged; those tries go on until ` + "`give_up_after`" + `, and then the record ends as ` + "`expired`" + `.
- **ends as**: what becomes of a record that this reason ends.
- **severity**: *none* is a fact; *sev3* is worth a look when many records end so; *sev2* means a promise is at risk; *sev1*
  means a promise is broken or data may be wrong.
`

const statusNotes = `
## How an answer becomes a reason

| answer | reason | why |
|---|---|---|
| 2xx, with a body or without | success | whether nothing is enough is for the parse rules to say |
| 206 | ` + "`truncated`" + ` | a part that nobody asked for is not the whole |
| 304 | success, or ` + "`server_error`" + ` | the bytes of before still stand; without a condition it is some cache's mistake |
| other 3xx that cannot be followed | ` + "`bad_request`" + ` | it leads nowhere, and will again |
| 401, 402, and 407 of the target itself | ` + "`auth_required`" + ` | credentials, or an account, are not in order |
| 403, 451, 999 | ` + "`blocked`" + ` | the target will not serve us; no rule of ours refused, so a person looks |
| 404, 410 | ` + "`gone`" + ` | |
| 407 of a proxy | ` + "`egress_auth`" + ` | the target has no part in it |
| 403 of a proxy | ` + "`egress_refused`" + ` | likewise; a 403 of the target through a proxy is ` + "`blocked`" + ` |
| anything else of a proxy, or none | ` + "`egress_unavailable`" + ` | likewise; but a SOCKS5 proxy's report that it cannot reach the target is ` + "`connect_failed`" + ` |
| 408 | ` + "`timeout`" + ` | |
| 421, 425 | ` + "`server_error`" + ` | another connection, or a later moment, may do |
| 429, and 503 with Retry-After | ` + "`throttled`" + ` | |
| other 4xx | ` + "`bad_request`" + ` | |
| 5xx, and what is no status at all | ` + "`server_error`" + ` | |

The status line of a 4xx or 5xx is the answer, even if the page that came with it broke off.

## What a resolver says

` + "`dns_not_found`" + ` and ` + "`private_address`" + ` rest on what a resolver said, and resolvers have outages in which they say so of every name.

| the host is | what weir does |
|---|---|
| an address, or ` + "`localhost`" + ` | no resolver has a say: ` + "`private_address`" + ` ends the record at once |
| a name that a record brought, as under ` + "`*.example.com`" + ` | one more look, at least a minute later; the same again ends the record, and the source is not charged for it before the record's own request |
| written out in the source's ` + "`hosts`" + ` or ` + "`request.url`" + ` | it is the source's outage: its breaker hears of it, its records are charged nothing and wait, until ` + "`give_up_after`" + ` at most |
`

// renderReasons writes the page of reasons from the table.
func renderReasons() string {
	var b strings.Builder
	b.WriteString(reasonsIntro)
	fault := Fault("")
	for _, row := range Table() {
		if row.Fault != fault {
			fault = row.Fault
			fmt.Fprintf(&b, "\n## At fault: %s\n\n| reason | retry | charged | ends as | severity | what it means and what to do |\n|---|---|---|---|---|---|\n", fault)
		}
		retry, charged := "no", "no"
		if row.Retry {
			retry = string(row.Wait)
		}
		if row.Tries > 0 {
			retry += fmt.Sprintf(", %d tries in all", row.Tries)
		}
		if row.Charged {
			charged = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s | %s |\n", row.Reason, retry, charged, row.End, row.Severity, row.Explain)
	}
	b.WriteString(statusNotes)
	return b.String()
}

func TestReasonsDoc(t *testing.T) {
	want := renderReasons()
	if *update {
		require.NoError(t, os.MkdirAll("../../docs", 0o755))
		require.NoError(t, os.WriteFile(reasonsDoc, []byte(want), 0o644))
	}
	have, err := os.ReadFile(reasonsDoc)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "docs/reasons.md is stale: run go test ./internal/failure -run TestReasonsDoc -update")
}
