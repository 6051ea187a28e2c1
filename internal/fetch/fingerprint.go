package fetch

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/weir-collect/weir/collection"
)

// Fingerprint is a digest of what the record's answer may hang on, beside its URL: method, headers, body and User-Agent, and
// which secrets go with it, by their references. Its error is an *InputError.
func (c *Client) Fingerprint(src collection.Source, rec collection.Record) (string, error) {
	req, err := BuildRequest(src, rec)
	if err != nil {
		return "", err
	}
	var body []byte
	if req.Body != nil {
		if body, err = io.ReadAll(req.Body); err != nil {
			return "", fmt.Errorf("read the request's own body: %w", err)
		}
	}
	asked, err := json.Marshal(struct {
		Request   collection.Request
		UserAgent string
		Body      string
	}{src.Request, c.options.UserAgent, collection.Digest(body)})
	if err != nil {
		return "", fmt.Errorf("encode the source's request: %w", err)
	}
	return collection.Digest(asked), nil
}
