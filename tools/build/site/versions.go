package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/release/repository"
)

// released is the module whose versions the documentation has: that of the command.
const released = "generator"

// documented is how many releases have their documentation in the site.
const documented = 10

// Versions returns this checkout as main, and the latest minor releases, which it checks out of the
// tags of the repository into a temporary folder. The function removes that.
func Versions(ctx context.Context, root string) (versions []Version, remove func(), err error) {
	versions = []Version{{Name: "main", Root: root}}
	git := repository.Repository{Dir: root}
	all, err := git.Versions(ctx, released)
	if err != nil {
		return nil, nil, fmt.Errorf("list the releases: %w", err)
	}
	work, err := os.MkdirTemp("", "strata-releases-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(work) }
	for _, v := range latest(all) {
		folder := filepath.Join(work, v)
		if err := git.Extract(ctx, released+"/"+v, folder, "README.md", "docs"); err != nil {
			remove()
			return nil, nil, fmt.Errorf("read the documentation of %s: %w", v, err)
		}
		versions = append(versions, Version{Name: v, Folder: v, Root: folder})
	}
	return versions, remove, nil
}

// latest returns the latest patch of each minor release, the newest first. The oldest of the
// versions is their first.
func latest(versions []string) []string {
	all := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return semver.Prerelease(v) != "" })
	slices.Reverse(all)
	all = slices.CompactFunc(all, func(a, b string) bool { return semver.MajorMinor(a) == semver.MajorMinor(b) })
	return all[:min(len(all), documented)]
}

// pause is how often Watch looks.
const pause = 500 * time.Millisecond

// Watch calls changed after each change of README.md or docs since the state before, until the
// context ends.
func Watch(ctx context.Context, root string, before State, changed func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if now := StateOf(root); now != before {
			before = now
			changed()
		}
	}
}

// State describes the sizes and times of all pages.
type State string

// StateOf returns the state of the pages of a checkout.
func StateOf(root string) State {
	var all strings.Builder
	note := func(file string) {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&all, file, info.Size(), info.ModTime().UnixNano())
		}
	}
	note(filepath.Join(root, "README.md"))
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			note(file)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed while the folder was read
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(&all, err)
	}
	return State(all.String())
}
