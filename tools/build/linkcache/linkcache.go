package linkcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Tool runs a tool of the go command, and exits as the tool does. If the tool is the linker, Tool
// takes the program from the folder, or else stores it there. It links where it cannot read or
// write the folder.
func Tool(dir, tool string, args []string) (exitCode int) {
	out, stored := lookup(dir, tool, args)
	if stored != "" && take(stored, out) == nil {
		return 0
	}
	c := exec.Command(tool, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		if c.ProcessState == nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return max(1, c.ProcessState.ExitCode())
	}
	if stored != "" {
		_ = keep(out, stored) // without it, the program is linked again
	}
	return 0
}

// lookup returns the file that a linker writes, and the one in which its program is stored. The
// second is empty for other tools, and for programs with C: what links these is not part of the
// action ID.
func lookup(dir, tool string, args []string) (out, stored string) {
	if strings.TrimSuffix(filepath.Base(tool), ".exe") != "link" {
		return "", ""
	}
	var id, imports string
	for i, arg := range args {
		switch value, isID := strings.CutPrefix(arg, "-buildid="); {
		case isID:
			id = value
		case i == 0:
		case args[i-1] == "-o":
			out = arg
		case args[i-1] == "-importcfg":
			imports = arg
		}
	}
	packages, err := os.ReadFile(imports)
	if err != nil || id == "" || out == "" || bytes.Contains(packages, []byte("\npackagefile runtime/cgo=")) {
		return "", ""
	}
	sum := sha256.Sum256([]byte(tool + "\n" + id))
	return out, filepath.Join(dir, hex.EncodeToString(sum[:]))
}

// take copies a stored program, and notes that it was used.
func take(stored, out string) error {
	if err := copyFile(stored, out); err != nil {
		return err
	}
	now := time.Now()
	return os.Chtimes(stored, now, now)
}

// keep stores a program. It appears whole or not at all.
func keep(out, stored string) error {
	if err := os.MkdirAll(filepath.Dir(stored), 0o755); err != nil {
		return err
	}
	part := fmt.Sprintf("%s%s%d", stored, partial, os.Getpid())
	if err := copyFile(out, part); err != nil {
		return err
	}
	return os.Rename(part, stored)
}

// partial is in the names of files that are written.
const partial = ".part-"

// copyFile writes a program to a new file, or none.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(to)
	}
	return err
}
