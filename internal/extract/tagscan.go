package extract

import "strings"

// tagName is the name of the tag that begins at a "<", in lower case, as far as a name matters here: longer ones than any
// that is asked for come out cut. ok is false where the "<" is text, or begins a comment.
func tagName(text string) (name string, closing, ok bool) {
	rest := text[1:]
	if strings.HasPrefix(rest, "/") {
		closing, rest = true, rest[1:]
	}
	if rest == "" || !isLetter(rest[0]) {
		return "", closing, false
	}
	end := strings.IndexAny(rest[:min(len(rest), maxTagName)], " \n\r\t\f/>")
	if end < 0 {
		end = min(len(rest), maxTagName)
	}
	return strings.ToLower(rest[:end]), closing, true
}

// maxTagName is longer than the names that are asked for.
const maxTagName = 12

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// tagEnd is where the tag ends that begins at the start of a text, and how many attributes it may have, after the HTML
// standard's tokenizer. ok is false if the text ends first.
func tagEnd(text string) (end, attributes int, ok bool) {
	s := tagScanner{text: text, at: len("<")}
	if strings.HasPrefix(text, "</") {
		s.at++
	}
	s.until(" \n\r\t\f/>")
	s.blanks()
	for s.at < len(s.text) {
		if s.text[s.at] == '>' {
			return s.at + 1, attributes, true
		}
		attributes++
		s.attribute()
		s.blanks()
	}
	return len(text), attributes, false
}

type tagScanner struct {
	text string
	at   int
}

func (s *tagScanner) until(stops string) {
	if end := strings.IndexAny(s.text[s.at:], stops); end >= 0 {
		s.at += end
		return
	}
	s.at = len(s.text)
}

func (s *tagScanner) blanks() {
	for s.at < len(s.text) && strings.IndexByte(" \n\r\t\f", s.text[s.at]) >= 0 {
		s.at++
	}
}

// attribute passes over a name and, if it has one, its value. An equals sign at the beginning belongs to the name.
func (s *tagScanner) attribute() {
	if s.text[s.at] == '=' {
		s.at++
	}
	s.until("= \n\r\t\f/>")
	s.blanks()
	if s.at == len(s.text) {
		return
	}
	switch s.text[s.at] {
	case '/':
		s.at++
	case '=':
		s.at++
		s.value()
	}
}

func (s *tagScanner) value() {
	s.blanks()
	if s.at == len(s.text) {
		return
	}
	switch quote := s.text[s.at]; quote {
	case '>':
	case '"', '\'':
		s.at++
		s.until(string(quote))
		s.at = min(s.at+1, len(s.text))
	default:
		s.until(" \n\r\t\f>")
	}
}
