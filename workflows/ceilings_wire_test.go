package workflows_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// TestCeilingsWireIsWhatItWas holds the name and the type of every field, however deep, of what enters the history of a
// Ceilings workflow. Fields are added, never renamed.
func TestCeilingsWireIsWhatItWas(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, v := range []any{
		workflows.CeilingsInput{}, workflows.LeaseInput{}, workflows.LeaseResult{}, workflows.ConfigureInput{},
		collection.SourceCommand{}, lease.SourceView{}, lease.EgressView{},
	} {
		name := fmt.Sprintf("%T", v)
		lines = append(lines, wireOf(t, reflect.TypeOf(v), name[strings.LastIndex(name, ".")+1:])...)
	}
	golden(t, filepath.Join("wire", "ceilings.txt"), strings.Join(lines, "\n")+"\n")
}

// wireOf is a line for every field of a type, and of the types of its fields.
func wireOf(t *testing.T, of reflect.Type, path string) []string {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	writes := func(as reflect.Type) bool { return of.Implements(as) || reflect.PointerTo(of).Implements(as) }
	if of.Kind() != reflect.Struct || writes(reflect.TypeFor[json.Marshaler]()) || writes(reflect.TypeFor[encoding.TextMarshaler]()) {
		return nil
	}
	var lines []string
	for i := range of.NumField() {
		f := of.Field(i)
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			lines = append(lines, wireOf(t, f.Type, path)...)
			continue
		}
		require.NotEmpty(t, tag, "%s.%s has no name of its own", of, f.Name)
		name, option, _ := strings.Cut(tag, ",")
		line := strings.TrimSpace(fmt.Sprintf("%s.%s %s %s", path, name, f.Type, option))
		lines = append(append(lines, line), wireOf(t, f.Type, path+"."+name)...)
	}
	return lines
}

// TestCeilingsJSONIsWhatItWas holds one value of each as it stands in a history, and that it is read back as it was.
func TestCeilingsJSONIsWhatItWas(t *testing.T) {
	t.Parallel()
	configure := fleetOfMany(t)
	configure.Sources = slices.DeleteFunc(configure.Sources, func(s lease.SourceConfig) bool { return s.Source > "night" })
	configure.Worker = "c"
	// One with every field; the source that it asks to wait would grant nothing.
	renewal := wants("c", 7, 2)
	renewal.Request.Epoch, renewal.Request.TTL, renewal.Request.Answered = "a run", 15_000, 6
	renewal.Request.Sources[0] = lease.Want{
		Source: "books", Held: 2, Rate: lease.PerSecond(0.5), InFlight: 1, Peak: 2, Waiting: 3, OldestWaiting: 2_500, Full: true, Linger: 30_000, CrawlDelay: ptr(lease.Millis(500)),
		Seen: lease.Report{Requests: 9, Successes: 5, TargetFaults: 2, Throttled: 1, LongestRetryAfter: 3_000},
	}
	renewal.Request.Egress = []lease.EgressReport{{Egress: "proxy", Successes: 1, Faults: 6, Trailing: 6}}
	o := firstOwner(t)
	o.configure(time.Second, configure)
	o.update(2*time.Second, collection.UpdatePause, collection.SourceCommand{Source: "held", By: "ann", Reason: "a test"})
	o.update(3*time.Second, collection.UpdateSetCeiling, by(collection.SourceCommand{Ceiling: ptr(2), Until: noon.Add(time.Minute)}))
	o.update(4*time.Second, collection.UpdateSetPace, by(collection.SourceCommand{Pace: ptr(0.5)}))
	o.update(4500*time.Millisecond, collection.UpdateUseMethod, collection.SourceCommand{Source: "methods", By: "ann", Method: "api"})
	asks := wants("a", 7, 2)
	asks.Request.Egress, asks.Request.Sources[0].OldestWaiting = renewal.Request.Egress, 2_500
	answer := o.renew(5*time.Second, asks)
	o.renew(6*time.Second, wants("b", 1, 1))
	rows := o.table(7 * time.Second)
	ways := o.egresses(7 * time.Second)
	next := o.run()
	for name, v := range map[string]any{
		"ceilings_input": next, "configure_input": configure, "lease_input": renewal, "lease_result": answer.granted(t), "table": *rows,
		"egresses": *ways,
	} {
		golden(t, filepath.Join("wire", name+".json"), asJSON(t, v))
		back := reflect.New(reflect.TypeOf(v))
		require.NoError(t, json.Unmarshal([]byte(asJSON(t, v)), back.Interface()))
		require.Equal(t, v, back.Elem().Interface(), name)
	}
}

// TestCeilingsGoOnFromAnOldState starts a run from a state that was written before: what operators have said and what
// workers hold is still there.
func TestCeilingsGoOnFromAnOldState(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile(filepath.Join("testdata", "wire", "ceilings_input.json"))
	require.NoError(t, err)
	var in workflows.CeilingsInput
	require.NoError(t, json.Unmarshal(body, &in))
	o := newOwner(t, 8*time.Second, in)
	rows := o.table(9 * time.Second)
	another := o.renew(10*time.Second, wants("c", 1, 9))
	o.update(11*time.Second, collection.UpdateSetCeiling, by(collection.SourceCommand{}))
	after := o.renew(30*time.Second, wants("c", 2, 9))
	o.run()
	at := slices.IndexFunc(*rows, func(r lease.SourceView) bool { return r.Source == "books" })
	books := (*rows)[at]
	require.Equal(t, 2, books.Ceiling)
	require.Equal(t, lease.PerSecond(0.5), books.Pace)
	require.Len(t, books.Workers, 2)
	require.False(t, another.granted(t).Configure, "it has the configuration")
	require.Zero(t, another.permits(t), "the others hold what there is")
	require.Equal(t, 4, after.permits(t), "their leases have ended")
}
