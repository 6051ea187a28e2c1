// Package chart is weir's look of a chart: its colours, its letters, and the formats it is written in. The same drawing gives
// the same bytes.
//
// It must not know what is drawn, or where pictures are stored.
package chart
