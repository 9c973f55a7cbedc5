package chaos_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/process"
)

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, parent process.Process) []process.Process {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var children []process.Process
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name before the last parenthesis may hold anything; behind it are the state and the parent.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != fmt.Sprint(parent.PID) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		if child, err := process.Of(pid); err == nil {
			children = append(children, child)
		}
	}
	return children
}
