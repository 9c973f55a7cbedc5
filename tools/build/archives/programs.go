package archives

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
)

// Program is a command in the archives.
type Program struct {
	Name string
	// Module is the folder of its module below the root, if it is outside of the workspace; empty
	// otherwise.
	Module string
	// Package is the folder of the command, relative to the root or to Module.
	Package string
	// Release and Commit are variables that get the version and the commit; empty for none.
	Release, Commit string
}

// Programs are those of the archives. The first finds the others beside it.
var Programs = []Program{
	{
		Name: "strata", Package: "./generator/cmd/strata",
		Release: "github.com/stratakube/strata/generator/internal/cli.release",
		Commit:  "github.com/stratakube/strata/generator/internal/cli.commit",
	},
	{Name: "strata-arm", Package: "./operator/arm/cmd/strata-arm"},
	{Name: "strata-cluster", Package: "./operator/cluster/cmd/strata-cluster"},
	{Name: "strata-image", Module: "operator/image", Package: "./cmd/strata-image"},
	{Name: "strata-plugin", Package: "./operator/plugin/cmd/strata-plugin"},
}

// Platform is a system and an architecture.
type Platform struct{ OS, Arch string }

// Platforms are those of the archives.
var Platforms = []Platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// String returns the platform as the go command names it.
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// file returns the name of a program on the platform.
func (p Platform) file(name string) string {
	if p.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// in is where and how go commands build a program for a platform.
func (o Options) in(p Program, on Platform) command.In {
	in := command.In{Dir: o.Root, Env: []string{"GOOS=" + on.OS, "GOARCH=" + on.Arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false"}}
	if p.Module != "" {
		in.Dir, in.Env = filepath.Join(o.Root, filepath.FromSlash(p.Module)), append(in.Env, "GOWORK=off")
	}
	return in
}

// Download downloads the modules of the programs for all systems: some are only built on one.
// Programs that the workspace does not have are left out.
func Download(ctx context.Context, root string) error {
	o := Options{Root: root}
	for _, p := range Programs {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.Module), filepath.FromSlash(p.Package))); err != nil {
			continue
		}
		var systems []string
		for _, on := range Platforms {
			if slices.Contains(systems, on.OS) || on.OS == runtime.GOOS {
				continue
			}
			systems = append(systems, on.OS)
			if _, err := o.in(p, on).Output(ctx, "go", "list", "-deps", "-f", "{{.ImportPath}}", p.Package); err != nil {
				return fmt.Errorf("download modules of %s for %s: %w", p.Name, on.OS, err)
			}
		}
	}
	return nil
}

// build builds a program for a platform, and checks what the file states about itself.
func (o Options) build(ctx context.Context, p Program, on Platform, file string) error {
	linking := "-s -w -buildid="
	if p.Release != "" {
		linking += fmt.Sprintf(" -X %s=%s -X %s=%s", p.Release, o.Version, p.Commit, o.Commit)
	}
	if _, err := o.in(p, on).Output(ctx, "go", "build", "-ldflags="+linking, "-o", file, p.Package); err != nil {
		return fmt.Errorf("build %s for %s: %w", p.Name, on, err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("build %s for %s: %w", p.Name, on, err)
	}
	return isFor(info, on)
}

// isFor requires that a program was built for a platform, and reproducibly.
func isFor(info *buildinfo.BuildInfo, on Platform) error {
	want := map[string]string{"GOOS": on.OS, "GOARCH": on.Arch, "CGO_ENABLED": "0", "-trimpath": "true"}
	for _, s := range info.Settings {
		if value, ok := want[s.Key]; ok && value == s.Value {
			delete(want, s.Key)
		}
	}
	var errs []error
	for key, value := range want {
		errs = append(errs, fmt.Errorf("%s was not built with %s=%s", info.Path, key, value))
	}
	return errors.Join(errs...)
}

// vet runs go vet on the packages of a program for a platform: those of its own module.
func (o Options) vet(ctx context.Context, p Program, on Platform) error {
	in := o.in(p, on)
	printed, err := in.Output(ctx, "go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}} {{.ImportPath}}{{end}}", p.Package)
	if err != nil {
		return fmt.Errorf("vet %s for %s: %w", p.Name, on, err)
	}
	var packages []string
	for line := range strings.Lines(printed) {
		if module, path, _ := strings.Cut(strings.TrimSpace(line), " "); module == o.Module || strings.HasPrefix(module, o.Module+"/") {
			packages = append(packages, path)
		}
	}
	if len(packages) == 0 {
		return fmt.Errorf("vet %s for %s: it has no package of %s", p.Name, on, o.Module)
	}
	if _, err := in.Output(ctx, "go", append([]string{"vet"}, packages...)...); err != nil {
		return fmt.Errorf("vet %s for %s: %w", p.Name, on, err)
	}
	return nil
}
