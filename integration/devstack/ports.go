package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
)

// loopback is the only address the devstack listens on.
const loopback = "127.0.0.1"

// Picked ports come from below the range that Linux and macOS take outgoing connections' ports from, so that nothing
// but another listener can take one between the moment it is found free and the moment it is bound.
const (
	firstPickedPort = 20000
	lastPickedPort  = 32000
)

// publicPort is a port that a person chose by flag.
type publicPort struct {
	flag, what string
	port       int
}

func (o *options) publicPorts() []publicPort {
	ports := []publicPort{
		{"--temporal-port", "Temporal", o.temporalPort},
		{"--s3-port", "the S3 gateway", o.s3Port},
	}
	if !o.noWeb {
		ports = append(ports, publicPort{"--web-port", "Temporal Web", o.webPort})
	}
	return ports
}

// ports are the TCP ports of one run. The internal ones are chosen anew at each start: nothing in the data folder
// depends on them.
type ports struct {
	frontend, history, matching, worker int
	web, s3                             int
	// reserved keeps the ports from other devstacks until this process ends.
	reserved []net.PacketConn
}

// choosePorts checks the ports that were asked for and picks the others. The error names every busy port.
func choosePorts(o options) (ports, error) {
	picker := portPicker{taken: map[int]bool{}}
	var busy []string
	for _, p := range o.publicPorts() {
		if p.port == 0 {
			continue
		}
		if picker.taken[p.port] {
			busy = append(busy, fmt.Sprintf("%s: port %d is asked for twice", p.flag, p.port))
		} else if err := tryListen(p.port); err != nil {
			busy = append(busy, fmt.Sprintf("port %d for %s cannot be used (%v): stop what listens there or choose another with %s (0 picks a free one)",
				p.port, p.what, err, p.flag))
		}
		picker.taken[p.port] = true
		picker.reserve(p.port) // where it fails, another program has its reasons
	}
	if len(busy) > 0 {
		return ports{}, errors.New(strings.Join(busy, "; "))
	}
	return picker.fill(o)
}

func (p *portPicker) fill(o options) (ports, error) {
	chosen := ports{frontend: o.temporalPort, web: o.webPort, s3: o.s3Port}
	for _, port := range []*int{&chosen.frontend, &chosen.web, &chosen.s3, &chosen.history, &chosen.matching, &chosen.worker} {
		if *port != 0 {
			continue
		}
		free, err := p.pick()
		if err != nil {
			return ports{}, err
		}
		*port = free
	}
	chosen.reserved = p.reserved
	return chosen, nil
}

// portPicker finds free ports and never gives the same one twice.
type portPicker struct {
	taken    map[int]bool
	reserved []net.PacketConn
}

// reserve keeps a port from other devstacks, which would find it free until it is bound, a second later. It holds the UDP
// port of the same number: nobody else asks for that, and the kernel gives it back however this process ends.
func (p *portPicker) reserve(port int) bool {
	held, err := net.ListenPacket("udp", address(port))
	if err != nil {
		return false
	}
	p.reserved = append(p.reserved, held)
	return true
}

func (p *portPicker) pick() (int, error) {
	const tries = 1000
	for range tries {
		port := firstPickedPort + rand.IntN(lastPickedPort-firstPickedPort)
		// Reserved first: a try would be in the way of another devstack that is just binding it.
		if p.taken[port] || !p.reserve(port) || tryListen(port) != nil {
			continue
		}
		p.taken[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free TCP port found on %s between %d and %d; stop something that listens there", loopback, firstPickedPort, lastPickedPort)
}

func tryListen(port int) error {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return err
	}
	return l.Close()
}

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
