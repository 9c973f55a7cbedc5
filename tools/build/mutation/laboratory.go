package mutation

import (
	"cmp"
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
	"time"

	"github.com/stratakube/strata/tools/build/modules"
)

// laboratory judges the mutants of a target.
type laboratory struct {
	dir      string // for programs and sources
	switched switched
	programs []*program
	least    time.Duration
}

// open builds the tests of a target with all mutants, and runs them with none. They must pass. It
// returns a key for all that results depend on: the programs of the tests, and the files that lie
// beside them.
func open(ctx context.Context, w *modules.Workspace, t Target, mutants []Mutant, dir string, o Options) (l laboratory, key string, err error) {
	l = laboratory{dir: dir, least: cmp.Or(o.Least, least)}
	if l.switched, err = switchAll(ctx, filepath.Join(w.Root, filepath.FromSlash(t.Folder)), mutants); err != nil {
		return l, "", err
	}
	overlay, err := write(filepath.Join(dir, "switched"), l.switched.texts)
	if err != nil {
		return l, "", err
	}
	digest := sha256.New()
	for i, name := range append([]string{t.Folder}, t.Tests...) {
		p := &program{
			folder: filepath.Join(w.Root, filepath.FromSlash(name)), path: filepath.Join(dir, fmt.Sprintf("switched%d.test", i)),
			scratch: dir, costly: t.Costly,
		}
		if err := p.compile(ctx, overlay); err != nil {
			return l, "", err
		}
		if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		o.Report(fmt.Sprintf("running the tests of %s without a change", name))
		if err := p.learn(ctx, o.Workers); err != nil {
			return l, "", fmt.Errorf("the tests of %s fail without a change: %w", name, err)
		}
		l.programs = append(l.programs, p)
		if err := hashAll(digest, p.path, filepath.Join(p.folder, "testdata")); err != nil {
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

// judge runs the tests on a mutant, those that reach it if that is known.
func (l laboratory) judge(ctx context.Context, m Mutant) (Verdict, error) {
	number, isSwitched := l.switched.numbers[m.Name]
	switch {
	case l.switched.never[m.Name]:
		return NotCompiled, nil
	case !isSwitched:
		return l.judgeAlone(ctx, m)
	}
	verdict := NotReached
	for _, p := range l.programs {
		tests := p.reaching(number)
		if len(tests) == 0 {
			continue
		}
		v, err := l.run(ctx, p, tests, number)
		if err != nil || v != Survived {
			return v, err
		}
		verdict = Survived
	}
	return verdict, nil
}

// judgeAlone builds the tests once more, for a mutant that has no switch.
func (l laboratory) judgeAlone(ctx context.Context, m Mutant) (Verdict, error) {
	dir, err := os.MkdirTemp(l.dir, "mutant-*")
	if err != nil {
		return "", fmt.Errorf("judge mutant: %w", err)
	}
	defer os.RemoveAll(dir)
	text, err := m.text()
	if err != nil {
		return "", err
	}
	texts := map[string][]byte{m.path: text}
	for path, text := range l.switched.texts {
		if filepath.Base(path) == switchesFile {
			texts[path] = text // for its limits
		}
	}
	overlay, err := write(dir, texts)
	if err != nil {
		return "", err
	}
	for _, p := range l.programs {
		alone := *p
		alone.path = filepath.Join(dir, "mutant.test")
		if err := alone.compile(ctx, overlay); err != nil {
			return NotCompiled, ctx.Err()
		}
		if v, err := l.run(ctx, &alone, p.tests, 0); err != nil || v != Survived {
			return v, err
		}
	}
	return Survived, nil
}

// run runs tests in turns, the cheap ones first, since most mutants are killed by those.
func (l laboratory) run(ctx context.Context, p *program, tests []test, number int) (Verdict, error) {
	for len(tests) > 0 {
		turn := firstTurn(tests)
		err := p.test(ctx, tests[:turn], limitsOf(tests[:turn], l.least), fmt.Sprintf("STRATA_MUTANT=%d", number))
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, errEndless):
			return TimedOut, nil
		case err != nil:
			return Killed, nil
		}
		tests = tests[turn:]
	}
	return Survived, nil
}

// firstTurn is how many of the tests, which are in the order of their costs, are worth one start of
// a program: those that take 100 ms together, or twice the time of the first one.
func firstTurn(tests []test) int {
	limit := max(100*time.Millisecond, 2*tests[0].cpu)
	for i, t := range tests {
		if limit -= t.cpu; limit < 0 && i > 0 {
			return i
		}
	}
	return len(tests)
}

// write writes files, and the overlay that puts them in the places that they are for.
func write(dir string, texts map[string][]byte) (overlay string, err error) {
	errs := []error{os.MkdirAll(dir, 0o700)}
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = filepath.Join(dir, filepath.Base(path))
		errs = append(errs, os.WriteFile(replace[path], text, 0o600))
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	overlay = filepath.Join(dir, "overlay.json")
	if err := errors.Join(append(errs, err, os.WriteFile(overlay, list, 0o600))...); err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	return overlay, nil
}
