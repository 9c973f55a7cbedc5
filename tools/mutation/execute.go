package mutation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/run"
)

// Verdict is what became of a mutant.
type Verdict string

// The verdicts. Mutants that do not compile count for nothing.
const (
	Killed      Verdict = "killed"       // a test failed
	TimedOut    Verdict = "timed out"    // the tests did not end, which counts as killed
	Survived    Verdict = "survived"     // all tests passed
	NotReached  Verdict = "not reached"  // no test runs the line, which counts as survived
	NotCompiled Verdict = "not compiled" // the change is no program
	Equivalent  Verdict = "equivalent"   // no test can tell the mutant from the package; see equivalent.yaml
)

// laboratory runs the tests of a target.
type laboratory struct {
	root  string
	dir   string // for programs and sources
	tests []testPackage
}

// testPackage is a package whose tests may kill a mutant.
type testPackage struct {
	folder string
	limit  time.Duration // for its tests
}

const (
	slower = 5                // times the usual time, after which tests will not end
	least  = 20 * time.Second // for the tests of a package
)

// open runs the tests of the target without a change. They must pass. It returns a key for all that results depend on:
// the programs of the tests, and the files that lie beside them.
func open(ctx context.Context, w *modules.Workspace, t Target, dir string, least time.Duration) (l laboratory, key string, err error) {
	l = laboratory{root: w.Root, dir: dir}
	digest := sha256.New()
	for _, name := range append([]string{t.Folder}, t.Tests...) {
		p := testPackage{folder: filepath.Join(w.Root, filepath.FromSlash(name))}
		program := filepath.Join(dir, "unchanged.test")
		if err := l.compile(ctx, p, program); err != nil {
			return l, "", err
		}
		start := time.Now()
		if err := l.test(ctx, p, program, time.Hour); err != nil {
			return l, "", fmt.Errorf("the tests of %s fail without a change: %w", name, err)
		}
		p.limit = max(slower*time.Since(start), least)
		l.tests = append(l.tests, p)
		if err := hashAll(digest, program, filepath.Join(p.folder, "testdata")); err != nil {
			return l, "", err
		}
	}
	return l, hex.EncodeToString(digest.Sum(nil)[:8]), nil
}

// hashAll writes the names and contents of a file, and of the files in a folder if it exists.
func hashAll(digest io.Writer, file, folder string) error {
	add := func(path string) error {
		body, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("hash tests: %w", err)
		}
		fmt.Fprintf(digest, "%s %x\n", filepath.Base(path), sha256.Sum256(body))
		return nil
	}
	if err := add(file); err != nil {
		return err
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return add(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// judge runs the tests on a mutant.
func (l laboratory) judge(ctx context.Context, m Mutant) (Verdict, error) {
	dir, err := os.MkdirTemp(l.dir, "mutant-*")
	if err != nil {
		return "", fmt.Errorf("judge mutant: %w", err)
	}
	defer os.RemoveAll(dir)
	overlay, err := write(m, dir)
	if err != nil {
		return "", err
	}
	for _, p := range l.tests {
		program := filepath.Join(dir, "mutant.test")
		if err := l.compile(ctx, p, program, "-overlay="+overlay); err != nil {
			return NotCompiled, ctx.Err()
		}
		err := l.test(ctx, p, program, p.limit)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return TimedOut, nil
		case err != nil:
			return Killed, nil
		}
	}
	return Survived, nil
}

// write writes the changed file, and the overlay that puts it in the place of the file.
func write(m Mutant, dir string) (overlay string, err error) {
	text, err := m.text()
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {m.path: changed}})
	if err != nil {
		return "", fmt.Errorf("write mutant: %w", err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := errors.Join(os.WriteFile(changed, text, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", fmt.Errorf("write mutant: %w", err)
	}
	return overlay, nil
}

// compile builds the tests of a package. Without the names of folders, the same sources give the same program everywhere.
func (l laboratory) compile(ctx context.Context, p testPackage, program string, flags ...string) error {
	args := append([]string{"test", "-c", "-trimpath", "-buildvcs=false", "-vet=off", "-ldflags=-s -w", "-o", program}, flags...)
	_, err := run.In{Dir: p.folder}.Output(ctx, "go", append(args, ".")...)
	return err
}

// test runs a program of tests. The error is that of the deadline if it does not end in time.
func (l laboratory) test(ctx context.Context, p testPackage, program string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit+4*run.Grace)
	defer cancel()
	seconds := strconv.Itoa(int(limit.Seconds())) + "s"
	var said bytes.Buffer
	start := time.Now()
	err := run.In{Dir: p.folder, Stdout: &said, Stderr: &said}.Run(ctx, program, "-test.failfast", "-test.timeout="+seconds)
	switch {
	case err == nil:
		return nil
	case time.Since(start) >= limit:
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return fmt.Errorf("%w\n%s", err, said.Bytes()[max(0, said.Len()-most):])
}

// most is how much of what failing tests print is worth reading.
const most = 4 << 10
