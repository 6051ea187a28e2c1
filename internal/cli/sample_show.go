package cli

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// sampled is one record to look at. Its JSON names are stable.
type sampled struct {
	Record  string             `json:"record"`
	Source  string             `json:"source"`
	Key     string             `json:"key"`
	URL     string             `json:"url,omitempty"`
	Line    int                `json:"line"`
	Outcome collection.Outcome `json:"outcome"`
	Reason  collection.Reason  `json:"reason,omitempty"`
	Detail  string             `json:"detail,omitempty"`
	// Missing are the fields that its rules have and its document has not.
	Missing []string       `json:"missing,omitempty"`
	Raw     *sampledRaw    `json:"raw,omitempty"`
	Fields  map[string]any `json:"fields,omitempty"`
	// Files were written for it.
	Files []string `json:"files,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// sampledRaw is the beginning of what was captured, as text or, where it is none, in hex.
type sampledRaw struct {
	Size        int64     `json:"size"`
	Status      int       `json:"status"`
	ContentType string    `json:"content_type,omitempty"`
	FetchedAt   time.Time `json:"fetched_at"`
	Text        string    `json:"text,omitempty"`
	Hex         string    `json:"hex,omitempty"`
	// Clipped says that there is more.
	Clipped bool `json:"clipped,omitempty"`
}

func sampledOf(row collection.LedgerRow) sampled {
	one := sampled{
		Record: row.Record, Source: row.Source, Key: row.Key, Line: row.Line,
		Outcome: row.Outcome, Reason: row.Reason, Detail: row.Detail, Missing: row.Missing,
	}
	if raw := row.Raw; raw != nil {
		one.URL = raw.URL
		one.Raw = &sampledRaw{Size: raw.Size, Status: raw.Status, ContentType: raw.ContentType, FetchedAt: raw.FetchedAt}
	}
	return one
}

func (s *sampled) note(err error) {
	s.Notes = append(s.Notes, strings.TrimSuffix(err.Error(), ": "+starter.ErrNotFound.Error()))
}

// show takes the beginning of a body, without cutting a character in two.
func (s *sampled) show(body []byte, most int) {
	cut := body
	if most > 0 && len(cut) > most {
		cut, s.Raw.Clipped = cut[:most], true
		for back := 1; back < utf8.UTFMax && back <= len(cut); back++ {
			if utf8.RuneStart(cut[len(cut)-back]) {
				if !utf8.FullRune(cut[len(cut)-back:]) {
					cut = cut[:len(cut)-back]
				}
				break
			}
		}
	}
	if isText(cut) {
		s.Raw.Text = string(cut)
		return
	}
	s.Raw.Hex = hex.EncodeToString(cut)
}

func isText(b []byte) bool { return utf8.Valid(b) && !strings.ContainsRune(string(b), 0) }

// showSampled writes the facts, the captured bytes, and beneath them the fields.
func showSampled(out *screen.Screen, one sampled) {
	facts := out.NewFacts()
	facts.Add("record", one.Record)
	facts.Add("source", one.Source)
	facts.Add("url", one.URL)
	facts.AddCell("outcome", screen.Cell{Text: strings.TrimSpace(string(one.Outcome) + " " + string(one.Reason)), Style: screen.StyleOf(one.Outcome)})
	facts.Add("detail", one.Detail)
	facts.AddCell("missing", screen.Cell{Text: strings.Join(one.Missing, ", "), Style: screen.Notice})
	for _, note := range one.Notes {
		facts.AddCell("note", screen.Cell{Text: note, Style: screen.Notice})
	}
	for _, file := range one.Files {
		facts.Add("wrote", file)
	}
	facts.End()
	showRaw(out, one.Raw)
	if one.Fields == nil {
		return
	}
	out.Line("%s", out.Paint(screen.Strong, "parsed"))
	fields := out.NewFacts()
	for _, name := range slices.Sorted(maps.Keys(one.Fields)) {
		fields.Add("  "+screen.Clean(name), fieldText(one.Fields[name]))
	}
	fields.End()
}

func showRaw(out *screen.Screen, raw *sampledRaw) {
	if raw == nil || raw.Text == "" && raw.Hex == "" {
		return
	}
	out.Line("%s %s", out.Paint(screen.Strong, "captured"), out.Paint(screen.Faint, screen.Clean(screen.Size(raw.Size)+" "+raw.ContentType)))
	lines := slices.Collect(strings.Lines(raw.Text))
	if raw.Hex != "" {
		lines = hexLines(raw.Hex)
	}
	for _, line := range lines {
		// A page's empty lines say nothing, and there are many.
		if text := strings.TrimRight(line, " \t\r\n"); text != "" {
			out.Line("  %s", screen.Clip(screen.Clean(text), max(out.Width()-2, 0)))
		}
	}
	if raw.Clipped {
		out.Line("  %s", out.Paint(screen.Faint, "… there is more: --bytes 0 shows all, --save writes it"))
	}
}

// hexLines breaks hex into lines of 32 bytes.
func hexLines(text string) []string {
	var lines []string
	for chunk := range slices.Chunk([]byte(text), 64) {
		lines = append(lines, string(chunk))
	}
	return lines
}

// fieldText is a value as its document has it; a text stands without its quotes.
func fieldText(v any) string {
	if text, ok := v.(string); ok && text != "" {
		return text
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
