package collection

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// DecodeLines reads JSON Lines, as plans and ledgers are stored. Its error names the line, from 1.
func DecodeLines[T any](body []byte) ([]T, error) {
	var rows []T
	for line := range bytes.Lines(body) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
