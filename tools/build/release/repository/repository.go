package repository

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/command"
)

// Repository is a git repository with a work tree.
type Repository struct{ Dir string }

// Git runs git in the repository, and returns its output.
func (r Repository) Git(ctx context.Context, args ...string) (string, error) {
	// The settings are those with which the go command reads a repository.
	fixed := []string{"-c", "core.autocrlf=input", "-c", "core.eol=lf"}
	return command.In{Dir: r.Dir}.Output(ctx, "git", append(fixed, args...)...)
}

// Head returns the commit that is checked out.
func (r Repository) Head(ctx context.Context) (string, error) { return r.Commit(ctx, "HEAD") }

// Commit returns the commit that a name stands for.
func (r Repository) Commit(ctx context.Context, name string) (string, error) {
	out, err := r.Git(ctx, "rev-parse", "--verify", name+"^{commit}")
	return strings.TrimSpace(out), err
}

// Clean reports files that are changed, or that are neither tracked nor ignored, as an error.
func (r Repository) Clean(ctx context.Context) error {
	out, err := r.Git(ctx, "status", "--porcelain")
	if err == nil && out != "" {
		err = fmt.Errorf("the work tree of %s has changes; commit them first:\n%s", r.Dir, out)
	}
	return err
}

// Versions returns the versions of a module that have tags, the oldest first. name is the folder of
// the module below the root.
func (r Repository) Versions(ctx context.Context, name string) ([]string, error) {
	out, err := r.Git(ctx, "tag", "--list", name+"/v*")
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, tag := range strings.Fields(out) {
		version := strings.TrimPrefix(tag, name+"/")
		if semver.Canonical(version) == version {
			versions = append(versions, version)
		}
	}
	slices.SortFunc(versions, semver.Compare)
	return versions, nil
}

// Tag adds an annotated tag to a commit; sign makes git sign it.
func (r Repository) Tag(ctx context.Context, name, commit, message string, sign bool) error {
	kind := "--annotate"
	if sign {
		kind = "--sign"
	}
	if _, err := r.Git(ctx, "tag", kind, "--message", message, name, commit); err != nil || !sign {
		return err
	}
	return r.requireSignature(ctx, name)
}

// requireSignature removes a tag that has no signature, and returns an error. Git 2.39 makes such
// a tag, and succeeds, if ssh-keygen fails.
func (r Repository) requireSignature(ctx context.Context, name string) error {
	signature, err := r.Git(ctx, "for-each-ref", "--format=%(contents:signature)", "refs/tags/"+name)
	if err != nil || strings.TrimSpace(signature) != "" {
		return err
	}
	return errors.Join(fmt.Errorf("git has not signed the tag %s: check its settings gpg.format and user.signingKey", name), r.Remove(ctx, name))
}

// Remove removes a tag that was made in this repository.
func (r Repository) Remove(ctx context.Context, tag string) error {
	_, err := r.Git(ctx, "tag", "--delete", tag)
	return err
}

// Files returns the files of a folder of a commit, by their names below that folder. Links are left
// out, as the go command leaves them out of modules. The name of the root is empty.
func (r Repository) Files(ctx context.Context, commit, folder string) (map[string][]byte, error) {
	var of []string
	if folder != "" {
		of = append(of, folder)
	}
	archive, err := r.archive(ctx, commit, of)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", folder, commit, err)
	}
	files, prefix := map[string][]byte{}, folder+"/"
	for in := tar.NewReader(strings.NewReader(archive)); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", folder, commit, err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", folder, commit, err)
		}
		files[strings.TrimPrefix(header.Name, prefix)] = data
	}
}

// archive returns a tar archive of a commit, or of these paths of it, as the go command makes it.
func (r Repository) archive(ctx context.Context, commit string, paths []string) (string, error) {
	return r.Git(ctx, append([]string{"archive", "--format=tar", commit, "--"}, paths...)...)
}

// Extract writes the files of a commit, or those below these paths of it, into a folder.
func (r Repository) Extract(ctx context.Context, commit, dir string, paths ...string) error {
	archive, err := r.archive(ctx, commit, paths)
	if err != nil {
		return fmt.Errorf("extract %s: %w", commit, err)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("extract %s: %w", commit, err)
	}
	for in := tar.NewReader(strings.NewReader(archive)); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && header.Typeflag == tar.TypeReg {
			err = write(filepath.Join(root, filepath.FromSlash(header.Name)), in, os.FileMode(header.Mode).Perm())
		}
		if err != nil {
			return fmt.Errorf("extract %s: %w", commit, err)
		}
	}
}

func write(path string, from io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}
