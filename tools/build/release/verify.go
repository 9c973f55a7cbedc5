package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release/settings"
)

// Verify checks all tags: that each is annotated, that its commit states its version, and that the
// go.sum of every tagged module has the sums of the siblings that it requires, as their tags have
// them. With published, it also downloads each version from the user's GOPROXY, and compares. It
// returns the number of tags.
func (r *Release) Verify(ctx context.Context, published bool) (int, error) {
	all, err := r.All(ctx)
	if err != nil {
		return 0, err
	}
	sums := sumsOf((&pack.Proxy{Modules: all}).Sums())
	var errs []error
	for _, p := range all {
		errs = append(errs, r.verifyTag(ctx, p))
		for line := range strings.Lines(string(p.Files()["go.sum"])) {
			key, sum := cutSum(line)
			if want := sums[key]; want != "" && want != sum {
				errs = append(errs, fmt.Errorf("%s: its go.sum has %s for %s, whose tag has %s", TagOf(p.Module, p.Version), sum, key, want))
			}
		}
	}
	if published {
		errs = append(errs, verifyPublished(ctx, all))
	}
	return len(all), errors.Join(errs...)
}

// sumsOf returns the sums of a go.sum, by module and version as its lines begin.
func sumsOf(text string) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(text) {
		key, sum := cutSum(line)
		sums[key] = sum
	}
	return sums
}

// cutSum cuts a line of go.sum before the sum.
func cutSum(line string) (key, sum string) {
	line = strings.TrimSpace(line)
	at := strings.LastIndex(line, " ")
	if at < 0 {
		return "", ""
	}
	return line[:at], line[at+1:]
}

func (r *Release) verifyTag(ctx context.Context, p pack.Packed) error {
	tag := TagOf(p.Module, p.Version)
	kind, err := r.Repository.Git(ctx, "cat-file", "-t", "refs/tags/"+tag)
	if err != nil {
		return err
	}
	if strings.TrimSpace(kind) != "tag" {
		return fmt.Errorf("%s is no annotated tag", tag)
	}
	text, err := r.Repository.Git(ctx, "show", tag+":"+settings.File)
	if err != nil {
		return err
	}
	if !strings.Contains(text, "\n  "+p.Name+": "+p.Version+"\n") {
		return fmt.Errorf("%s: its commit states another version of %s in %s", tag, p.Name, settings.File)
	}
	return nil
}

// verifyPublished compares versions with those that the user's module proxies serve. The go command
// compares these with the checksum database.
func verifyPublished(ctx context.Context, all []pack.Packed) error {
	cache, err := os.MkdirTemp("", "strata-published-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	in := command.In{Dir: cache, Env: []string{"GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(cache, "modcache")}}
	var errs []error
	for _, p := range all {
		out, err := in.Output(ctx, "go", "mod", "download", "-json", p.ID().String())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var got struct{ Sum, GoModSum string }
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			return err
		}
		if got.Sum != p.Sum || got.GoModSum != p.ModSum {
			errs = append(errs, fmt.Errorf("%s: the proxy serves %s, the tag has %s", p.ID(), got.Sum, p.Sum))
		}
	}
	return errors.Join(errs...)
}

// checkVersions checks that the changes up to a commit permit the versions of its releases.yaml.
func (r *Release) checkVersions(ctx context.Context, commit string) error {
	pending, err := r.Pending(ctx)
	if err != nil {
		return err
	}
	plan, err := r.compare(ctx, commit)
	if err != nil {
		return err
	}
	for i, e := range plan {
		if isIn(pending, e.Module) {
			plan[i].Version = r.Settings.Versions[e.Module.Name]
		}
	}
	return errors.Join(plan.refusals(), r.apart(plan))
}

// checkModFiles checks that the go.mod files of a commit replace nothing and require siblings at
// their last releases, and that go.sum has the sums of exactly the trees that are tagged, which are
// those of current.
func (r *Release) checkModFiles(ctx context.Context, commit string, current []pack.Packed) error {
	sums, versions := sumsOf((&pack.Proxy{Modules: current}).Sums()), map[string]string{}
	for _, p := range current {
		versions[p.Path] = p.Version
	}
	var errs []error
	for _, m := range r.Workspace.Modules {
		files, err := r.Repository.Files(ctx, commit, m.Name)
		if err != nil {
			return err
		}
		errs = append(errs, r.checkMod(m, files, versions, sums))
	}
	return errors.Join(errs...)
}

func (r *Release) checkMod(m modules.Module, files map[string][]byte, versions, sums map[string]string) error {
	mod, err := modules.ParseMod(m.Name+"/go.mod", files["go.mod"])
	if err != nil {
		return err
	}
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", m.Name, fmt.Sprintf(format, args...)))
	}
	isReleased := versions[m.Path] != ""
	if isReleased && len(mod.Replace)+len(mod.Exclude) > 0 {
		wrong("its go.mod has a replace or an exclude, which users do not get, and with which go install fails")
	}
	if isReleased && len(files["LICENSE"]) == 0 {
		wrong("it has no LICENSE")
	}
	has := sumsOf(string(files["go.sum"]))
	for _, req := range mod.Require {
		version, isOurs := versions[req.Mod.Path]
		switch {
		case isIn(r.Workspace.Modules, modules.Module{Path: req.Mod.Path}) && !isOurs && isReleased:
			wrong("it requires %s, which is never released", req.Mod)
		case req.Mod.Version == modules.Unpublished && isReleased:
			wrong("it requires %s, which is published nowhere", req.Mod)
		case isOurs && req.Mod.Version != version:
			wrong("it requires %s, whose version is %s: run release:prepare", req.Mod, version)
		}
		for _, key := range []string{req.Mod.Path + " " + req.Mod.Version, req.Mod.Path + " " + req.Mod.Version + "/go.mod"} {
			if want := sums[key]; want != "" && has[key] != want {
				wrong("its go.sum has %q for %s, and the tree has %s: run release:prepare again", has[key], key, want)
			}
		}
	}
	return errors.Join(errs...)
}
