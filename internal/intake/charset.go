package intake

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// toUTF8 drops a byte order mark and decodes UTF-16 that has one. Text without
// a mark is taken as UTF-8; each row is checked later.
func toUTF8(r *bufio.Reader) (io.Reader, error) {
	switch start := peek(r, 4); {
	case strings.HasPrefix(start, byteOrderMark):
		_, err := r.Discard(len(byteOrderMark))
		return r, err
	case start == "\xff\xfe\x00\x00", start == "\x00\x00\xfe\xff":
		return nil, errors.New("the file is UTF-32: save it as UTF-8")
	case strings.HasPrefix(start, "\xff\xfe"):
		_, err := r.Discard(2)
		return &utf16Reader{r: r, order: binary.LittleEndian}, err
	case strings.HasPrefix(start, "\xfe\xff"):
		_, err := r.Discard(2)
		return &utf16Reader{r: r, order: binary.BigEndian}, err
	case len(start) == 4 && (start[0] == 0) != (start[1] == 0) && (start[0] == 0) == (start[2] == 0) && (start[1] == 0) == (start[3] == 0):
		return nil, errors.New("the file looks like UTF-16 without a byte order mark: save it as UTF-8")
	}
	return r, nil
}

// utf16Reader decodes UTF-16 (RFC 2781). It is our own because the usual
// decoders turn half a surrogate pair into U+FFFD; here it comes out as bytes
// that are not UTF-8, so that its row is refused and not changed.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	out   []byte // decoded, not yet read
	buf   []byte // the memory of out
	high  uint16 // the first half of a pair whose second half is awaited, or 0
	err   error
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 && u.err == nil {
		u.fill()
	}
	if len(u.out) == 0 {
		return 0, u.err
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// fill decodes what the buffer below holds, at least one unit.
func (u *utf16Reader) fill() {
	u.buf = u.buf[:0]
	_, err := u.r.Peek(2)
	units, _ := u.r.Peek(u.r.Buffered() &^ 1)
	for i := 0; i < len(units); i += 2 {
		u.unit(u.order.Uint16(units[i:]))
	}
	if _, discarded := u.r.Discard(len(units)); err == nil {
		err = discarded
	}
	if err != nil {
		if u.high != 0 {
			u.lone(u.high)
		}
		if u.err = err; err == io.EOF && u.r.Buffered() > 0 {
			u.err = fmt.Errorf("the UTF-16 text is cut in the middle of a character, upload the file again: %w", io.ErrUnexpectedEOF)
		}
	}
	u.out = u.buf
}

func (u *utf16Reader) unit(unit uint16) {
	if high := u.high; high != 0 {
		u.high = 0
		if r := utf16.DecodeRune(rune(high), rune(unit)); r != utf8.RuneError {
			u.buf = utf8.AppendRune(u.buf, r)
			return
		}
		u.lone(high)
	}
	switch {
	case !utf16.IsSurrogate(rune(unit)):
		u.buf = utf8.AppendRune(u.buf, rune(unit))
	case unit < 0xdc00:
		u.high = unit
	default:
		u.lone(unit)
	}
}

// lone writes half a pair in the form that UTF-8 forbids (RFC 3629 section 3).
func (u *utf16Reader) lone(unit uint16) {
	u.buf = append(u.buf, 0xe0|byte(unit>>12), 0x80|byte(unit>>6&0x3f), 0x80|byte(unit&0x3f))
}
