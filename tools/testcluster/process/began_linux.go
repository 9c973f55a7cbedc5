package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// began reads when a process began, in ticks since the system did: the 22nd field of its stat,
// where the second is the program's name in parentheses and may hold anything. One that has ended
// and waits for its parent to notice is gone, unless it is only its first thread that has: until
// the others have ended, too, its files are open.
func began(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrEnded
	}
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return "", fmt.Errorf("cannot read its stat: %q", stat)
	}
	if state, threads := fields[0], fields[17]; state == "X" || state == "Z" && (threads == "0" || threads == "1") {
		return "", ErrEnded
	}
	return fields[19], nil
}
