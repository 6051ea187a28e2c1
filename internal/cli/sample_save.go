package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"os"
	"path/filepath"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
)

// sampleFolder makes the folder to save in; an empty name asks for none. What was captured is a customer's, and may be behind a
// login: it is for nobody else on this machine.
func (a *app) sampleFolder(folder string) error {
	if folder == "" {
		return nil
	}
	path := a.world.path(folder)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usagef("--save %s is a file: name a folder", screen.Clean(folder))
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return usagef("make the folder for the sample: %w", err)
	}
	return nil
}

// extensions are those of content types that a person opens with a program; anything else is .bin. Nothing of a name comes
// from the page.
var extensions = map[string]string{
	"text/html": ".html", "application/xhtml+xml": ".html", "application/json": ".json", "application/ld+json": ".json",
	"text/plain": ".txt", "text/csv": ".csv", "application/xml": ".xml", "text/xml": ".xml", "application/pdf": ".pdf",
}

// saveCaptured writes the captured body as it is.
func (a *app) saveCaptured(folder string, one *sampled, body []byte) error {
	if folder == "" {
		return nil
	}
	extension := ".bin"
	if kind, _, err := mime.ParseMediaType(one.Raw.ContentType); err == nil && extensions[kind] != "" {
		extension = extensions[kind]
	}
	return a.saveSampled(folder, one, "raw"+extension, body)
}

// saveParsed writes the delivered document, laid out for a person.
func (a *app) saveParsed(folder string, one *sampled, document collection.DeliveredDocument) error {
	if folder == "" {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("write the parsed document: %w", err)
	}
	return a.saveSampled(folder, one, "parsed.json", text.Bytes())
}

func (a *app) saveSampled(folder string, one *sampled, what string, body []byte) error {
	if !collection.IsRecordID(one.Record) {
		return fmt.Errorf("the ledger has a record %q, which is no id: nothing is written for it", one.Record)
	}
	file := filepath.Join(folder, one.Record+"."+what)
	if err := os.WriteFile(a.world.path(file), body, 0o600); err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	one.Files = append(one.Files, file)
	return nil
}
