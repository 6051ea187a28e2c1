package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// fetchedFile is a file of the delivery, as its link gave it.
type fetchedFile struct {
	starter.Link
	body []byte
}

func (f fetchedFile) digest() string { return collection.Digest(f.body) }

// fetchAll fetches every link as a customer would: with nothing but the link.
func fetchAll(ctx context.Context, links []starter.Link) ([]fetchedFile, error) {
	var files []fetchedFile
	for _, l := range links {
		body, err := fetch(ctx, l.URL)
		if err != nil {
			return nil, fmt.Errorf("fetch %s by its link: %w", l.Name, err)
		}
		files = append(files, fetchedFile{l, body})
	}
	return files, nil
}

func fetch(ctx context.Context, link string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, errors.New("the link is no URL")
	}
	response, err := http.DefaultClient.Do(request)
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // what it says of the URL would hand the signed link on
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the store answers %s", response.Status)
	}
	return body, err
}

// compareFiles checks every file against the checksum that stands for it, and shows the links.
func (c *checks) compareFiles(files []fetchedFile) {
	s := c.Screen
	s.Blank()
	table := s.NewTable(screen.Column{Title: "FILE"}, screen.Column{Title: "RECORDS", Right: true}, screen.Column{Title: "SIZE", Right: true},
		screen.Column{Title: "SHA-256, FETCHED BY ITS LINK"})
	for _, f := range files {
		verdict := screen.Cell{Text: f.digest()[:16] + "… verified", Style: screen.Good}
		if problem := sumProblem(f, files); problem != "" {
			verdict = screen.Cell{Text: problem, Style: screen.Bad}
			c.problem("file %s: %s", f.Name, problem)
		} else {
			c.files++
		}
		records := ""
		if f.Records > 0 {
			records = screen.Count(f.Records)
		}
		table.Row(screen.Text(f.Name), screen.Text(records), screen.Text(screen.Size(int64(len(f.body)))), verdict)
	}
	table.End()
	s.Blank()
	s.Line("The signed links, good for %s:", screen.Duration(linkLife))
	for _, f := range files {
		s.Blank()
		s.Line("%s", f.URL)
	}
	s.Blank()
}

// sumProblem says what is wrong with a file, or nothing. The file of the manifest's checksum has none of its own: it must
// say what the manifest's is.
func sumProblem(f fetchedFile, files []fetchedFile) string {
	if f.SHA256 != "" {
		if f.digest() != f.SHA256 {
			return "its SHA-256 is " + f.digest() + " instead of " + f.SHA256
		}
		return ""
	}
	for _, other := range files {
		if fmt.Sprintf("%s  %s\n", other.digest(), other.Name) == string(f.body) {
			return ""
		}
	}
	return "it is the checksum of no file of the delivery"
}

// compareDocuments checks every delivered document against what the site has shown.
func (c *checks) compareDocuments(files []fetchedFile) {
	documents := map[string]collection.DeliveredDocument{}
	for _, f := range files {
		if !strings.HasPrefix(f.Name, "results-") {
			continue
		}
		if err := readResults(f.body, documents); err != nil {
			c.problem("file %s: %v", f.Name, err)
		}
	}
	for _, r := range c.rows {
		if r.outcome != collection.OutcomeDelivered {
			continue
		}
		document, ok := documents[c.ended[r.line].Record]
		switch {
		case !ok:
			c.problem("line %d: its document is in no file of the results", r.line)
		case !reflect.DeepEqual(document.Fields, r.fields):
			c.problem("line %d: its document holds %v, and the site has shown %v", r.line, document.Fields, r.fields)
		default:
			c.documents++
			delete(documents, document.Record)
		}
	}
	if len(c.problems) == 0 && len(documents) > 0 {
		c.problem("%s too many in the results", screen.Plural(len(documents), "document"))
	}
}

// readResults adds the documents of one part, by record.
func readResults(packed []byte, into map[string]collection.DeliveredDocument) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	lines := json.NewDecoder(unpacked)
	for {
		var d collection.DeliveredDocument
		err := lines.Decode(&d)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		into[d.Record] = d
	}
}
