package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weir-collect/weir/collection"
)

// Bounds of a layout. A part is held in memory while it is written, several times over.
const (
	maxPartRecords = 1_000_000
	minPartBytes   = int64(1 << 10)
	maxPartBytes   = int64(64 << 20)
	maxColumns     = 1000
	maxColumnName  = 200
	maxPrefix      = 400
)

// checkDelivery checks how a customer's results are written, and where they are shipped to.
func checkDelivery(c collection.Customer, path string, p *problems) {
	checkLayout(c.Layout, path+".layout", p)
	if !c.Destination.IsZero() {
		checkDestination(c.Destination, path+".destination", p)
	}
}

// checkTakesFor checks whose deliveries may be sent to a customer's destination besides its own.
func checkTakesFor(customers []collection.Customer, c collection.Customer, path string, p *problems) {
	for i, name := range c.TakesFor {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch known := slices.ContainsFunc(customers, func(other collection.Customer) bool { return other.Name == name }); {
		case name == c.Name:
			p.add(at, shown(name), "a customer's own deliveries go there in any case: take it away")
		case !known:
			p.add(at, shown(name), "there is no such customer: name one of this list")
		}
	}
	if len(c.TakesFor) > 0 && c.Destination.IsZero() {
		p.add(path, "", "there is no destination that could take them: set destination, or take this away")
	}
}

func checkLayout(l collection.Layout, path string, p *problems) {
	if l.Format != "" {
		checkOneOf(p, path+".format", l.Format, collection.FormatJSONLines, collection.FormatCSV, collection.FormatParquet)
	}
	if len(l.Columns) > 0 && !l.IsTable() {
		p.add(path+".columns", "", "JSON Lines have no columns: set format to csv or parquet, or take columns away")
	}
	checkColumns(l.Columns, path+".columns", p)
	checkRange(p, path+".records", l.Records, 0, maxPartRecords)
	if l.Bytes != 0 && (l.Bytes < minPartBytes || l.Bytes > maxPartBytes) {
		p.add(path+".bytes", sizeText(l.Bytes), fmt.Sprintf("use %s to %s, or 0 for weir's own", sizeText(minPartBytes), sizeText(maxPartBytes)))
	}
	if l.Name != "" {
		if err := collection.CheckPartName(l.Name); err != nil {
			p.add(path+".name", shown(l.Name), err.Error())
		}
	}
}

func checkColumns(columns []string, path string, p *problems) {
	if len(columns) > maxColumns {
		p.add(path, "", fmt.Sprintf("list at most %d columns", maxColumns))
	}
	seen := map[string]int{}
	for i, name := range columns {
		at := fmt.Sprintf("%s[%d]", path, i)
		first, twice := seen[name]
		switch {
		case name == "" || len(name) > maxColumnName || !utf8.ValidString(name):
			p.add(at, shown(name), fmt.Sprintf("name a field with 1 to %d bytes", maxColumnName))
		case twice:
			p.add(at, shown(name), fmt.Sprintf("columns[%d] has the same name: keep one", first))
		}
		seen[name] = i
	}
}

func checkDestination(d collection.Destination, path string, p *problems) {
	s3 := S3{Endpoint: d.Endpoint, Region: d.Region, Bucket: d.Bucket}
	var err error
	if s3.AccessKey, err = reference(d.AccessKey); err != nil {
		p.unreadable(path+".access_key", "", err.Error())
	}
	if s3.SecretKey, err = reference(d.SecretKey); err != nil {
		p.unreadable(path+".secret_key", "", err.Error())
	}
	if !p.isUnread(path+".access_key") && !p.isUnread(path+".secret_key") {
		// A destination is a bucket like weir's own.
		bucket := newProblems("")
		s3.check(bucket)
		for _, found := range bucket.list {
			p.add(path+strings.TrimPrefix(found.Path, "s3"), found.Value, found.Message)
		}
	}
	if err := checkPrefix(d.Prefix); err != nil {
		p.add(path+".prefix", shown(d.Prefix), err.Error())
	}
}

// checkDestinationReferences says whether a destination's keys are references, where they are set.
func checkDestinationReferences(d collection.Destination, path string) error {
	if _, err := reference(d.AccessKey); err != nil {
		return fmt.Errorf("%s.access_key: %w", path, err)
	}
	if _, err := reference(d.SecretKey); err != nil {
		return fmt.Errorf("%s.secret_key: %w", path, err)
	}
	return nil
}

// reference is a secret, or none.
func reference(text string) (Secret, error) {
	if text == "" {
		return Secret{}, nil
	}
	return ParseSecret(text)
}

var prefixText = regexp.MustCompile(`^[A-Za-z0-9!_.*'()/=-]+$`)

func checkPrefix(prefix string) error {
	switch {
	case prefix == "":
		return nil
	case slices.ContainsFunc(strings.Split(prefix, "/"), func(part string) bool { return part == "." || part == ".." }):
		return errors.New("a folder of the prefix is called '.' or '..', which stores read differently: name the folders without, for instance incoming/weir/")
	case !strings.HasSuffix(prefix, "/"), strings.HasPrefix(prefix, "/"), strings.Contains(prefix, "//"):
		return errors.New("write folders with a slash behind each and none in front, for instance incoming/weir/")
	case !prefixText.MatchString(prefix) || len(prefix) > maxPrefix:
		return fmt.Errorf("use at most %d letters, digits, slashes and !_.*'()=-", maxPrefix)
	}
	return nil
}
