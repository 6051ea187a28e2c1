package config

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "1048576": 1 << 20, "7B": 7, "512KB": 512_000, "512kb": 512_000, "3MB": 3_000_000, "2GB": 2_000_000_000,
		"1KiB": 1024, "10MiB": 10 << 20, "10 MiB": 10 << 20, "1gib": 1 << 30, "9223372036854775807": math.MaxInt64,
	} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "-1", "1.5MiB", "10M", "10m", "MiB", "10  MiB", "10MiBs", "0x10", "1e6", "9223372036854775808", "9007199254740992KiB",
	} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}

func TestTextsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Min(0).Draw(t, "size")
		if got, err := parseSize(sizeText(size)); err != nil || got != size {
			t.Fatalf("size %d is written %s and read %d, %v", size, sizeText(size), got, err)
		}
		d := time.Duration(rapid.Int64().Draw(t, "duration"))
		if got, err := time.ParseDuration(durationText(d)); err != nil || got != d {
			t.Fatalf("duration %d is written %s and read %d, %v", d, durationText(d), got, err)
		}
	})
}

func TestDurationText(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", 24 * time.Hour: "24h",
		time.Hour + time.Second: "1h0m1s", 10 * time.Hour: "10h", 10 * time.Minute: "10m", 20 * time.Millisecond: "20ms",
	} {
		require.Equal(t, want, durationText(d))
	}
}

func TestParseScalar(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		typ  reflect.Type
		want any
	}{
		{"a", reflect.TypeFor[string](), "a"},
		{"urgent", reflect.TypeFor[collection.Lane](), "urgent"},
		{"12", reflect.TypeFor[int](), 12},
		{"-3", reflect.TypeFor[int](), -3},
		{"0.5", reflect.TypeFor[float64](), 0.5},
		{"TRUE", reflect.TypeFor[bool](), true},
		{"false", reflect.TypeFor[*bool](), false},
		{"90s", durationType, 90 * time.Second},
		{"1KiB", reflect.TypeFor[int64](), int64(1024)},
		{"env:A", secretType, mustSecret(t, "env:A")},
		{"", secretType, Secret{}},
	}
	for _, test := range tests {
		got, err := parseScalar(test.text, test.typ)
		require.NoError(t, err, test.text)
		require.Equal(t, test.want, got, test.text)
	}
	for _, text := range []string{"", "x", "1.0", "010x", "1_0"} {
		_, err := parseScalar(text, reflect.TypeFor[int]())
		require.EqualError(t, err, "write a whole number", text)
	}
	for _, text := range []string{"1", "yes", "on", ""} {
		_, err := parseScalar(text, reflect.TypeFor[bool]())
		require.EqualError(t, err, "write true or false", text)
	}
	_, err := parseScalar("x", reflect.TypeFor[[]int]())
	require.EqualError(t, err, "a key of type []int cannot be read from text")
}
