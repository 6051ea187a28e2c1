package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ want, got string }{
		{"5", plain(5)}, {"7.5", plain(7.5)}, {"9.35", plain(9.346)}, {"0.05", plain(0.05)}, {"30.3", plain(30.26)}, {"106", plain(106.4)}, {"-2", plain(-2)},
		{"0", grouped(0)}, {"999", grouped(999.4)}, {"1,000", grouped(999.6)}, {"202,287", grouped(202287)}, {"1,234,567", grouped(1234567)}, {"-1,495", grouped(-1495)},
		{"$2,015", dollars(2015)}, {"-$130", dollars(-130)}, {"$0", dollars(-0.2)},
		{"$0.0692", cents(0.06921)},
		{"0", wait(0)}, {"4.7", wait(4.68)}, {"106.4", wait(106.4)}, {"1,235", wait(1234.6)},
		{"95", percent(0.95)}, {"95.3", percent(0.9534)}, {"100", percent(1)}, {"5", percent(1 - 0.95)},
	} {
		require.Equal(t, row.want, row.got)
	}
}
