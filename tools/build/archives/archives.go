package archives

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options configure the archives of a release.
type Options struct {
	// Root is the folder of the workspace, and Module the prefix of the paths of its modules.
	Root, Module string
	// Out is the folder for the results. It must be empty or not exist.
	Out string
	// Version is that of the release, such as v0.1.0; Commit and Time are those of its sources.
	Version, Commit string
	Time            time.Time
	// Builder identifies who builds, as a URI, in the statement of origin.
	Builder   string
	Programs  []Program
	Platforms []Platform
	// Unvetted leaves go vet out.
	Unvetted bool
	// Report gets a line for each archive.
	Report func(string)
}

// The names of the files beside the archives.
const (
	Checksums  = "checksums.txt"
	provenance = "provenance.intoto.json"
	krewFile   = "strata.krew.yaml"
	brewFile   = "strata.rb"
	sbomSuffix = ".spdx.json"
)

var releaseVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// artifact is a file of a release. Programs are those in an archive.
type artifact struct {
	name     string
	platform Platform
	sum      string // SHA-256
	programs []entry
}

// Build writes the archives of a release, and everything beside them but signatures.
func Build(ctx context.Context, o Options) error {
	if !releaseVersion.MatchString(o.Version) {
		return fmt.Errorf("build archives: %q is no version, such as v0.1.0", o.Version)
	}
	if entries, err := os.ReadDir(o.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("build archives: %s is not empty: remove it", o.Out)
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return fmt.Errorf("build archives: %w", err)
	}
	work, err := os.MkdirTemp("", "strata-archives-")
	if err != nil {
		return fmt.Errorf("build archives: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	shared, err := o.shared(ctx, work)
	if err != nil {
		return fmt.Errorf("build archives: %w", err)
	}
	var archives []artifact
	for _, on := range o.Platforms {
		archive, err := o.one(ctx, on, work, shared)
		if err != nil {
			return fmt.Errorf("build archives: %w", err)
		}
		archives = append(archives, archive)
		if o.Report != nil {
			o.Report(archive.sum + "  " + archive.name)
		}
	}
	if err := o.beside(archives); err != nil {
		return fmt.Errorf("build archives: %w", err)
	}
	return o.sum()
}

// here is the platform of this machine.
var here = Platform{runtime.GOOS, runtime.GOARCH}

// shared are the files that the archives of all platforms have: completions and pages for man, by
// the programs of this machine, and the licence.
func (o Options) shared(ctx context.Context, work string) ([]entry, error) {
	folder := filepath.Join(work, here.OS+"_"+here.Arch)
	for _, p := range o.Programs {
		if err := o.build(ctx, p, here, filepath.Join(folder, here.file(p.Name))); err != nil {
			return nil, err
		}
	}
	program := func(name string) string { return filepath.Join(folder, here.file(name)) }
	out, err := o.manual(ctx, program)
	if err != nil {
		return nil, err
	}
	completions, err := completions(ctx, program(o.Programs[0].Name), o.Programs[0].Name)
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(o.Root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	return slices.Concat([]entry{{name: "LICENSE", body: licence}}, completions, out), nil
}

// one builds the archive of a platform, and writes it with the list of its modules.
func (o Options) one(ctx context.Context, on Platform, work string, shared []entry) (artifact, error) {
	folder := filepath.Join(work, on.OS+"_"+on.Arch)
	defer func() { _ = os.RemoveAll(folder) }()
	a := artifact{platform: on, name: o.archive(on)}
	for _, p := range o.Programs {
		if !o.Unvetted {
			if err := o.vet(ctx, p, on); err != nil {
				return a, err
			}
		}
		file := filepath.Join(folder, on.file(p.Name))
		if on != here { // else it is there
			if err := o.build(ctx, p, on, file); err != nil {
				return a, err
			}
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return a, err
		}
		a.programs = append(a.programs, entry{name: on.file(p.Name), body: body, isProgram: true})
	}
	text, err := pack(on, append(slices.Clone(a.programs), shared...), o.Time)
	if err != nil {
		return a, err
	}
	a.sum = sumOf(text)
	if err := o.write(a.name, text); err != nil {
		return a, err
	}
	list, err := o.sbom(a)
	if err != nil {
		return a, err
	}
	for i := range a.programs {
		a.programs[i].body = nil // the memory of one archive is enough
	}
	return a, o.write(a.name+sbomSuffix, list)
}

// archive is the name of the archive of a platform.
func (o Options) archive(on Platform) string {
	extension := ".tar.gz"
	if on.OS == "windows" {
		extension = ".zip"
	}
	return strings.Join([]string{"strata", strings.TrimPrefix(o.Version, "v"), on.OS, on.Arch}, "_") + extension
}

// beside writes what describes the archives.
func (o Options) beside(archives []artifact) error {
	origin, err := o.origin(archives)
	if err != nil {
		return err
	}
	manifest, err := o.krew(archives)
	if err != nil {
		return err
	}
	return errors.Join(o.write(provenance, origin), o.write(krewFile, manifest), o.write(brewFile, o.formula(archives)))
}

// sum writes the checksums of all files.
func (o Options) sum() error {
	entries, err := os.ReadDir(o.Out)
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(o.Out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sumOf(text), e.Name())
	}
	return o.write(Checksums, []byte(out.String()))
}

func (o Options) write(name string, body []byte) error {
	return os.WriteFile(filepath.Join(o.Out, name), body, 0o644)
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
