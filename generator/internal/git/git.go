package git

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Commit is a commit in a repository.
type Commit struct {
	top, commit string
	name        string // as the user wrote it
}

// Open finds a revision in the repository of a folder.
func Open(ctx context.Context, dir, revision string) (*Commit, error) {
	g := &Commit{top: dir, name: revision}
	top, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("there is no git repository: %w", err)
	}
	g.top = strings.TrimSpace(string(top))
	commit, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("git knows no revision %q", revision)
	}
	g.commit = strings.TrimSpace(string(commit))
	return g, nil
}

// run runs git and returns its standard output.
func (g *Commit) run(ctx context.Context, args ...string) ([]byte, error) {
	c := subprocess.New(ctx, g.top, "git", args...)
	out, err := c.Print()
	return out, failure(c, err)
}

// failure returns the error of a program that failed, with the text of its standard error if there
// is any.
func failure(c *subprocess.Command, err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && c.Errors.Len() > 0 {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(c.Errors.String()), "fatal: "))
	}
	return err
}

// Inside returns the path of a folder within the repository.
func (g *Commit) Inside(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	inside, err := filepath.Rel(g.top, absolute)
	if err != nil || !filepath.IsLocal(inside) {
		return "", fmt.Errorf("%s is not in the repository %s", folder, g.top)
	}
	return inside, nil
}

// Unpack writes a folder of the commit below another folder.
func (g *Commit) Unpack(ctx context.Context, to, folder string) error {
	if folder == "" {
		folder = "."
	}
	c := subprocess.New(ctx, g.top, "git", "archive", "--format=tar", g.commit, "--", filepath.ToSlash(folder))
	var written error
	err := c.Read(func(out io.Reader) error {
		written = untar(ctx, to, out)
		return written
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case written != nil && c.Errors.Len() == 0:
		return fmt.Errorf("unpack %s: %w", g.name, written)
	case written != nil:
		return fmt.Errorf("%s has no %s: %s", g.name, filepath.ToSlash(folder), strings.TrimPrefix(strings.TrimSpace(c.Errors.String()), "fatal: "))
	case err != nil:
		return fmt.Errorf("%s has no %s: %w", g.name, filepath.ToSlash(folder), failure(c, err))
	}
	return nil
}

// untar writes the files of an archive below a folder.
func untar(ctx context.Context, to string, from io.Reader) error {
	archive := tar.NewReader(from)
	for {
		header, err := archive.Next()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case header.Typeflag != tar.TypeReg || !filepath.IsLocal(header.Name):
			continue
		}
		if err := write(filepath.Join(to, filepath.FromSlash(header.Name)), archive); err != nil {
			return err
		}
	}
}

func write(name string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
