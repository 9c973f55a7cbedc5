package linkcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// take copies a stored program, and notes that it was used. It removes one that is damaged.
func take(stored, out string) error {
	in, err := os.Open(stored)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := write(out, io.TeeReader(io.LimitReader(in, info.Size()-sha256.Size), sum)); err != nil {
		return err
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(in, want); err != nil || !bytes.Equal(sum.Sum(nil), want) {
		return errors.Join(errDamaged, os.Remove(out), os.Remove(stored))
	}
	now := time.Now()
	_ = os.Chtimes(stored, now, now) // another run may have trimmed it
	return nil
}

var errDamaged = errors.New("the stored program is damaged")

// keep stores a program, with its SHA-256 behind it. A file that appears is whole, unless the
// machine fails.
func keep(out, stored string) error {
	if err := os.MkdirAll(filepath.Dir(stored), 0o755); err != nil {
		return err
	}
	in, err := os.Open(out)
	if err != nil {
		return err
	}
	defer in.Close()
	part, err := os.CreateTemp(filepath.Dir(stored), filepath.Base(stored)+partial)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(part, io.TeeReader(in, sum))
	if err == nil {
		_, err = part.Write(sum.Sum(nil))
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), stored)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return err
}

// partial is in the names of files that are written.
const partial = ".part-"

// write writes a program to a file. It leaves none if it fails.
func write(file string, content io.Reader) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(file)
	}
	return err
}
