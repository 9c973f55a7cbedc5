//go:build !linux

package process

import (
	"os/exec"
	"strconv"
	"strings"
)

// began asks ps when a process began, to the second.
func began(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if began := strings.TrimSpace(string(out)); began != "" {
		return began, nil
	}
	if _, isExit := err.(*exec.ExitError); isExit || err == nil {
		return "", ErrEnded
	}
	return "", err
}
