package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// C6 68: of items with different fields, the table has the union, in the order in which they were first seen, or the columns
// that were declared; a field that only a later item has is never dropped in silence.
func TestCase68LaterFieldsGetColumns(t *testing.T) {
	t.Parallel()
	all := decode(t, line("r1", `{"name":"A"}`), line("r2", `{"name":"B","age":30}`))
	rows := cells(t, csvOf(t, tableOf(nil, nil, all), all))
	require.Equal(t, append(own[:5:5], "name", "age"), rows[0])
	require.Equal(t, []string{"A", ""}, rows[1][5:])
	require.Equal(t, []string{"B", "30"}, rows[2][5:])

	rows = cells(t, csvOf(t, tableOf([]string{"age", "name"}, nil, all), all))
	require.Equal(t, [][]string{{"age", "name"}, {"", "A"}, {"30", "B"}}, rows)
}
