package cli

import (
	"os"
	"os/user"
)

// asker names who gives a command, as user@host, for what is kept of it. What the machine does not tell is left out.
func asker() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		return name
	}
	return name + "@" + host
}
