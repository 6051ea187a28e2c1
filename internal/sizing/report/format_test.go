package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	r := Report{Promise: sizing.Promise{Share: 0.95}}
	fine := Report{Promise: sizing.Promise{Share: 0.9999}}
	for _, row := range []struct{ want, got string }{
		{"5", plain(5)}, {"7.5", plain(7.5)}, {"9.35", plain(9.346)}, {"0.05", plain(0.05)}, {"30.3", plain(30.26)}, {"106", plain(106.4)}, {"-2", plain(-2)},
		{"0", grouped(0)}, {"999", grouped(999.4)}, {"1,000", grouped(999.6)}, {"202,287", grouped(202287)}, {"1,234,567", grouped(1234567)}, {"-1,495", grouped(-1495)},
		{"$2,015", dollars(2015)}, {"-$130", dollars(-130)}, {"$0", dollars(-0.2)},
		{"$0.0692", cents(0.06921)},
		{"0", wait(0)}, {"4.7", wait(4.68)}, {"106.4", wait(106.4)}, {"1,235", wait(1234.6)},
		{"95", exactly(0.95)}, {"99.99", exactly(0.9999)}, {"99.999999", exactly(0.99999999)}, {"57", exactly(0.57)}, {"0.05", exactly(0.0005)},
		{"95.3", r.inTime(0.9528)}, {"94.9", r.inTime(0.94996)}, {"95.0", r.inTime(0.95)}, {"99.9", r.inTime(0.99996)}, {"100.0", r.inTime(1)},
		{"100", r.short(1)}, {"95", r.short(0.95)}, {"99.9", r.short(0.9999999)}, {"2", r.short(0.02)}, {"5", r.rest()},
		{"99.99", fine.inTime(0.99995)}, {"99.98", fine.inTime(0.9998999)}, {"0.01", fine.rest()},
		{"95", percent(0.95)}, {"95.3", percent(0.9534)}, {"100", percent(1)}, {"5", percent(1 - 0.95)},
	} {
		require.Equal(t, row.want, row.got)
	}
}
