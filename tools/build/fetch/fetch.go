package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
)

// Run downloads the sources that o selects from the file of pins, one after another. It makes no
// request for a source whose verified tree exists. If a source fails, its earlier tree stays, and
// Run continues with the others; the error lists all that failed. Runs at the same destination
// wait for each other.
func Run(ctx context.Context, o Options) error {
	sources, err := ReadSources(o.Sources)
	if err != nil {
		return err
	}
	if sources, err = choose(sources, o.Only); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	return work(ctx, o, func(r *run) error {
		var failed []error
		for _, s := range sources {
			if err := r.bring(ctx, s); err != nil {
				failed = append(failed, fmt.Errorf("fetch: %s: %w", s.Name, err))
			}
			if ctx.Err() != nil {
				break
			}
		}
		return errors.Join(failed...)
	})
}

// choose keeps the sources that are named, in the order of the file.
func choose(sources []Source, names []string) ([]Source, error) {
	if len(names) == 0 {
		return sources, nil
	}
	var known []string
	for _, s := range sources {
		known = append(known, s.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no source is called %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(sources, func(s Source) bool { return !slices.Contains(names, s.Name) }), nil
}

// run is the state of one call, which has the lock of its destination.
type run struct {
	destination destination
	mirror      mirror
	client      *http.Client
	limits      Limits
	report      func(line string)
}

// work calls do with the destination locked.
func work(ctx context.Context, o Options, do func(*run) error) error {
	o = o.withDefaults()
	mirror, err := parseMirror(o.Mirror, o.LoopbackHTTP)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	r := &run{
		destination: destination{o.Dest},
		mirror:      mirror,
		client:      guardedClient(o.Client, o.Limits.Redirects, o.LoopbackHTTP),
		limits:      o.Limits,
		report:      o.Report,
	}
	unlock, err := r.destination.lock(ctx, r.report)
	if err != nil {
		return fmt.Errorf("fetch: lock %s: %w", o.Dest, err)
	}
	defer unlock()
	return do(r)
}

// bring downloads the tree of s to its destination.
func (r *run) bring(ctx context.Context, s Source) error {
	if err := r.destination.recover(s.Name); err != nil {
		return fmt.Errorf("clear up after an earlier run: %w", err)
	}
	current, err := r.stands(ctx, s)
	if err != nil || current {
		return err
	}
	return r.from(ctx, s, func(o origin) error { return r.replace(ctx, s, o) })
}

// stands reports whether the destination has exactly the pinned files.
func (r *run) stands(ctx context.Context, s Source) (bool, error) {
	t, err := treeOf(ctx, r.destination.final(s.Name), r.limits)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err == nil:
		err = s.check(t)
	}
	if err != nil {
		r.report(fmt.Sprintf("%s: what stands at %s is not what is pinned: it is brought again", s.Name, r.destination.final(s.Name)))
		return false, nil
	}
	r.report(fmt.Sprintf("%s: up to date, %s", s.Name, amount(t.files(), t.bytes)))
	return true, nil
}

// replace stages the files of s, verifies them and puts them in their place.
func (r *run) replace(ctx context.Context, s Source, o origin) error {
	defer os.RemoveAll(r.destination.stage(s.Name))
	t, err := r.stage(ctx, s, o)
	if err != nil {
		return err
	}
	if err := r.destination.install(s.Name); err != nil {
		return fmt.Errorf("put the files in their place: %w", err)
	}
	r.report(fmt.Sprintf("%s: verified, %s", s.Name, amount(t.files(), t.bytes)))
	return nil
}

func (r *run) stage(ctx context.Context, s Source, o origin) (*tree, error) {
	dir := r.destination.stage(s.Name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	t := pinnedTree(root, s)
	if err := r.fill(ctx, t, s, o); err != nil {
		return nil, err
	}
	return t, s.check(t)
}

// fill hands the files that s selects to t.
func (r *run) fill(ctx context.Context, t *tree, s Source, o origin) error {
	want := newSelection(s.Paths)
	if err := o.read(ctx, want, r.limits, t.add); err != nil {
		return err
	}
	return want.idle()
}
