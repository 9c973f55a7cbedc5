package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/build/archives"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// Variables that say who builds a release, and whose releases are trusted.
const (
	builderVariable  = "STRATA_RELEASE_BUILDER"
	keyVariable      = "STRATA_RELEASE_KEY"
	rootVariable     = "STRATA_RELEASE_ROOT"
	identityVariable = "STRATA_RELEASE_IDENTITY"
	issuerVariable   = "STRATA_RELEASE_ISSUER"
)

// archiveFolder is the folder of the archives below the root.
var archiveFolder = filepath.Join("bin", "release")

// ReleaseArchives builds the archives of a version into bin/release, of a commit without changes.
func ReleaseArchives(ctx context.Context, version string) error {
	return do(ctx, one("archives", func(ctx context.Context, w *modules.Workspace) error {
		o, err := archiveOptions(ctx, w, version)
		if err != nil {
			return err
		}
		if err := archives.Build(ctx, o); err != nil {
			return err
		}
		printLine("they are in " + o.Out)
		return nil
	}))
}

func archiveOptions(ctx context.Context, w *modules.Workspace, version string) (archives.Options, error) {
	git := func(args ...string) (string, error) {
		out, err := command.In{Dir: w.Root}.Output(ctx, "git", args...)
		return strings.TrimSpace(out), err
	}
	changed, err := git("status", "--porcelain")
	if err != nil {
		return archives.Options{}, err
	}
	if changed != "" {
		return archives.Options{}, fmt.Errorf("commit what has changed: archives are those of a commit:\n%s", changed)
	}
	printed, err := git("log", "-1", "--format=%H %ct")
	if err != nil {
		return archives.Options{}, err
	}
	commit, at, _ := strings.Cut(printed, " ")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return archives.Options{}, fmt.Errorf("read the time of the commit: %w", err)
	}
	builder := os.Getenv(builderVariable)
	if builder == "" {
		builder = archives.LocalBuilder
	}
	return archives.Options{
		Root: w.Root, Module: prefix(w), Out: filepath.Join(w.Root, archiveFolder), Version: version, Commit: commit, Time: time.Unix(seconds, 0).UTC(),
		Builder: builder, Programs: archives.Programs, Platforms: archives.Platforms, Report: printLine,
	}, nil
}

// prefix is what the paths of modules begin with, before their folders. The example of another
// project has a path of its own.
func prefix(w *modules.Workspace) string {
	for _, m := range w.Modules {
		if path, ok := strings.CutSuffix(m.Path, "/"+m.Name); ok {
			return path
		}
	}
	return ""
}

// ReleaseSign signs the archives in bin/release: by the key in a file, or by the identity of the
// token in SIGSTORE_ID_TOKEN.
func ReleaseSign(ctx context.Context, key string) error {
	return do(ctx, one("sign", func(ctx context.Context, w *modules.Workspace) error {
		s := archives.Signer{Key: key, Fulcio: archives.PublicFulcio, Rekor: archives.PublicRekor}
		return archives.Sign(ctx, w.Root, filepath.Join(w.Root, archiveFolder), s)
	}))
}

// ReleaseRoot downloads the trusted root of Sigstore's public services into a file.
func ReleaseRoot(ctx context.Context, file string) error {
	return do(ctx, one("root", func(ctx context.Context, w *modules.Workspace) error {
		return archives.Root(ctx, w.Root, file)
	}))
}

// ReleaseVerify verifies the archives in a folder by the trust that variables state.
func ReleaseVerify(ctx context.Context, dir string) error {
	return do(ctx, one("verify", func(ctx context.Context, w *modules.Workspace) error {
		t := trust()
		if t == (archives.Trust{}) {
			return errors.New("set " + keyVariable + " to the file of the public key, or " + rootVariable + ", " + identityVariable + " and " + issuerVariable)
		}
		verified, err := archives.Verify(ctx, w.Root, dir, t)
		if err == nil {
			printLine(fmt.Sprintf("archives that are signed and complete: %d", verified))
		}
		return err
	}))
}

// trust is what variables state.
func trust() archives.Trust {
	return archives.Trust{
		Key: os.Getenv(keyVariable), Root: os.Getenv(rootVariable), Identity: os.Getenv(identityVariable), Issuer: os.Getenv(issuerVariable),
	}
}
