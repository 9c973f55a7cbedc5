package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/command"
)

// Version is one version of the documentation.
type Version struct {
	Name   string // what the menu shows, as "main" or "v0.1.0"
	Folder string // below the folder of the site; empty for the one that readers see first
	Root   string // the checkout with docs and README.md
}

// Build writes the site of all versions into the folder out, which it replaces. The folder tools is
// tools/build/site of the checkout that builds: its layout shows all versions.
func Build(ctx context.Context, tools, out string, versions []Version) error {
	if len(versions) == 0 {
		return errors.New("build the site: no version")
	}
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("build the site: %w", err)
	}
	for _, v := range versions {
		if err := build(ctx, tools, filepath.Join(out, v.Folder), v, versions); err != nil {
			return fmt.Errorf("build the site of %s: %w", v.Name, err)
		}
	}
	return nil
}

// build writes the site of one version.
func build(ctx context.Context, tools, out string, v Version, versions []Version) (err error) {
	work, err := os.MkdirTemp("", "strata-site-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for _, name := range []string{"hugo.yaml", "layouts", "assets"} {
		if err := copied(filepath.Join(tools, "hugo", name), filepath.Join(work, name)); err != nil {
			return err
		}
	}
	pages, err := read(v.Root)
	if err != nil {
		return err
	}
	if err := pages.write(work); err != nil {
		return err
	}
	if pages.data.Example, err = example(ctx, tools, filepath.Join(work, "static", explorer), v); err != nil {
		return err
	}
	pages.data.Version = v.Name
	for _, other := range versions {
		url, err := filepath.Rel(filepath.Join("/", v.Folder), filepath.Join("/", other.Folder, "index.html"))
		if err != nil {
			return err
		}
		pages.data.Versions = append(pages.data.Versions, link{Name: other.Name, URL: filepath.ToSlash(url)})
	}
	encoded, err := json.Marshal(pages.data)
	if err != nil {
		return err
	}
	if err := written(filepath.Join(work, "data", "strata.json"), encoded); err != nil {
		return err
	}
	hugo := command.In{Dir: filepath.Join(tools, "hugo"), Env: []string{"GOWORK=off", "HUGO_ENABLEGITINFO=false"}}
	_, err = hugo.Output(ctx, "go", "tool", "hugo", "build", "--source", work, "--destination", out,
		"--cacheDir", filepath.Join(work, "cache"), "--noBuildLock", "--quiet")
	return err
}

// copied copies a file or a folder.
func copied(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return written(to, data)
}

// written writes a file and the folders above it.
func written(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
