package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
)

// leastVersion has Update-with-Start, without which no worker gets a lease; testedVersion is what weir is tested with.
var leastVersion, testedVersion = [2]int{1, 28}, [2]int{1, 32}

func temporal(ctx context.Context, e *Engine) []Finding {
	info, err := e.Service.GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return []Finding{fail(fmt.Sprintf("Temporal at %s does not tell its version: %v", e.Address, err), "look into its log")}
	}
	text := info.GetServerVersion()
	version, ok := parseVersion(text)
	switch {
	case !ok:
		return []Finding{warn(fmt.Sprintf("Temporal at %s answers, and calls its version %q", e.Address, text),
			fmt.Sprintf("see that it is %d.%d or later", testedVersion[0], testedVersion[1]))}
	case before(version, leastVersion):
		return []Finding{fail(fmt.Sprintf("Temporal at %s is %s", e.Address, text),
			fmt.Sprintf("upgrade it to %d.%d or later: workers get their permits by Update-with-Start, which it lacks", testedVersion[0], testedVersion[1]))}
	case before(version, testedVersion):
		return []Finding{warn(fmt.Sprintf("Temporal at %s is %s", e.Address, text),
			fmt.Sprintf("upgrade it to %d.%d or later, which weir is tested with: fairness was not what it is before", testedVersion[0], testedVersion[1]))}
	}
	return []Finding{fine("Temporal %s at %s", text, e.Address)}
}

func parseVersion(text string) (version [2]int, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	if len(parts) < len(version) {
		return version, false
	}
	for i := range version {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return version, false
		}
		version[i] = n
	}
	return version, true
}

func before(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// leastRetention is how long what has ended should stay: a week, holidays in it included. A dead letter that nobody has replayed by then is
// counted by no metric and no sweep any more.
const leastRetention = 168 * time.Hour

func namespace(ctx context.Context, e *Engine) []Finding {
	answer, err := e.Service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.Namespace})
	if err != nil {
		return []Finding{fail(fmt.Sprintf("namespace %s: %v", e.Namespace, err), "create it, or set temporal.namespace")}
	}
	if state := answer.GetNamespaceInfo().GetState(); state != enumspb.NAMESPACE_STATE_REGISTERED {
		return []Finding{fail(fmt.Sprintf("namespace %s is %s", e.Namespace, state), "use another: this one takes no work")}
	}
	retention := answer.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
	what := fmt.Sprintf("%s keeps what has ended for %s", e.Namespace, days(retention))
	if retention < leastRetention {
		return []Finding{warn(what, fmt.Sprintf(
			"keep it for %s or longer, since dead letters that the engine has forgotten raise no alert any more: temporal operator namespace update --namespace %s --retention %s",
			days(leastRetention), e.Namespace, leastRetention))}
	}
	return []Finding{fine("%s", what)}
}

func days(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return collection.Plural(int(d/day), "day")
	}
	return d.String()
}

// attributes are what weir's workflows set; see package collection. All are of type Keyword.
func attributes(ctx context.Context, e *Engine) []Finding {
	answer, err := e.Operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: e.Namespace})
	if err != nil {
		return []Finding{warn(fmt.Sprintf("the search attributes cannot be seen from here: %v", err),
			"see that WeirCustomer, WeirSource and WeirReason exist, of type Keyword")}
	}
	var found []Finding
	for _, name := range []string{collection.AttributeCustomer, collection.AttributeSource, collection.AttributeReason} {
		switch kind, exists := answer.GetCustomAttributes()[name]; {
		case !exists:
			found = append(found, fail(name+" is missing, and workflows that set it cannot start",
				fmt.Sprintf("temporal operator search-attribute create --namespace %s --name %s --type Keyword", e.Namespace, name)))
		case kind != enumspb.INDEXED_VALUE_TYPE_KEYWORD:
			found = append(found, fail(fmt.Sprintf("%s is of type %s", name, kind),
				fmt.Sprintf("remove it, and create it with --type Keyword, or use another namespace than %s", e.Namespace)))
		}
	}
	if len(found) == 0 {
		found = append(found, fine("all three exist, of type Keyword"))
	}
	return found
}
