package proxytest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
)

// serveCONNECT answers one request for a tunnel. A request of any other kind is answered 405, since a tunnel was promised.
func serveCONNECT(p *Proxy, conn net.Conn, b Behaviour) error {
	var raw bytes.Buffer
	req, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &raw)))
	if err != nil {
		return err
	}
	p.note(req.Host)
	switch {
	case b.Echo:
		_, err := conn.Write(raw.Bytes())
		return err
	case req.Method != http.MethodConnect:
		return answer(conn, http.StatusMethodNotAllowed, "")
	case b.User != "" && req.Header.Get("Proxy-Authorization") != basic(b.User, b.Password):
		// Some proxies show what they did not accept.
		return answer(conn, http.StatusProxyAuthRequired, "wrong: "+req.Header.Get("Proxy-Authorization"))
	case b.Status != 0:
		return answer(conn, b.Status, "no: "+req.Header.Get("Proxy-Authorization"))
	}
	target, err := p.dial(req.Host, b)
	if err != nil {
		return answer(conn, http.StatusBadGateway, "")
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"+b.Says); err != nil {
		return err
	}
	return p.relay(conn, target, b)
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// answer refuses a tunnel, with a text in every place where a proxy may put one.
func answer(conn net.Conn, status int, text string) error {
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d Refused %s\r\nX-Text: %s\r\nContent-Length: %d\r\n\r\n%s", status, text, text, len(text), text)
	return err
}
