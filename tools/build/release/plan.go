package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/release/changes"
)

// Entry is a module in a plan.
type Entry struct {
	Module  modules.Module
	Last    string           // its last version with a tag; empty before the first
	Version string           // the one that it gets; empty if it is not released
	Changes []changes.Change // since Last, those first that require most
}

// Plan has an entry for each module that is released.
type Plan []Entry

// Plan finds what changed in each module since its last release, and the versions that follow.
// wanted are versions as the user gives them: v0.2.0 for all modules, or runtime@v0.1.1 for one.
// Without any, each module that changed gets the smallest version that its changes permit. The
// error lists the changes for which a version is too small; the plan is complete nevertheless.
func (r *Release) Plan(ctx context.Context, wanted ...string) (Plan, error) {
	head, err := r.Repository.Head(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := r.compare(ctx, head)
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		r.propose(plan)
		return plan, nil
	}
	if err := r.choose(plan, wanted); err != nil {
		return nil, err
	}
	return plan, errors.Join(plan.refusals(), r.apart(plan))
}

// compare finds the changes of all modules up to a commit.
func (r *Release) compare(ctx context.Context, commit string) (Plan, error) {
	work, err := os.MkdirTemp("", "strata-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	extracted := map[string]string{}
	extract := func(name string) (string, error) {
		commit, err := r.Repository.Commit(ctx, name)
		if err != nil || extracted[commit] != "" {
			return extracted[commit], err
		}
		dir := filepath.Join(work, commit)
		extracted[commit] = dir
		return dir, r.Repository.Extract(ctx, commit, dir)
	}
	after, err := extract(commit)
	if err != nil {
		return nil, err
	}
	var plan Plan
	for _, m := range r.modules() {
		e := Entry{Module: m}
		if e.Last, err = r.last(ctx, m); err != nil {
			return nil, err
		}
		if e.Last == "" {
			e.Changes = []changes.Change{{API: "module", Bump: changes.Minor, Text: "it was never released"}}
		} else {
			before, err := extract(TagOf(m, e.Last))
			if err != nil {
				return nil, err
			}
			trees := changes.Trees{Before: before, After: after}
			if e.Changes, err = changes.Of(ctx, trees, r.Workspace, m, r.Settings); err != nil {
				return nil, err
			}
		}
		plan = append(plan, e)
	}
	return plan, nil
}

// propose gives each changed module its smallest version. If one of a set raises more than the last
// number, all modules of the set get that version.
func (r *Release) propose(plan Plan) {
	for i, e := range plan {
		if len(e.Changes) > 0 {
			plan[i].Version = changes.Next(e.Last, changes.Most(e.Changes))
		}
	}
	for _, set := range r.Settings.Sets {
		highest := ""
		for _, e := range plan {
			if slices.Contains(set.Modules, e.Module.Name) && semver.Compare(e.Version, highest) > 0 {
				highest = e.Version
			}
		}
		for i, e := range plan {
			if slices.Contains(set.Modules, e.Module.Name) && semver.MajorMinor(e.now()) != semver.MajorMinor(highest) && highest != "" {
				plan[i].Version = highest
			}
		}
	}
}

// now is the version that a module has after the release.
func (e Entry) now() string {
	if e.Version != "" {
		return e.Version
	}
	return e.Last
}

// choose sets the versions that the user wants.
func (r *Release) choose(plan Plan, wanted []string) error {
	for _, word := range wanted {
		name, version, isOne := strings.Cut(word, "@")
		if !isOne {
			name, version = "", word
		}
		if semver.Canonical(version) != version {
			return fmt.Errorf("%q is no version: write v0.2.0 for all modules, or runtime@v0.1.1 for one", word)
		}
		isKnown := false
		for i, e := range plan {
			if name == "" || e.Module.Name == name {
				isKnown, plan[i].Version = true, version
			}
		}
		if !isKnown {
			return fmt.Errorf("no module %q is released; see releases.yaml", name)
		}
	}
	return nil
}

// refusals reports versions that the changes since the last release do not permit.
func (p Plan) refusals() error {
	var errs []error
	for _, e := range p {
		if e.Version == "" || e.Last == "" {
			continue
		}
		if semver.Compare(e.Version, e.Last) <= 0 {
			errs = append(errs, fmt.Errorf("%s %s: the last version is %s", e.Module.Name, e.Version, e.Last))
			continue
		}
		for _, c := range changes.TooSmall(e.Last, e.Version, e.Changes) {
			errs = append(errs, fmt.Errorf("%s %s is too small, it has to be %s or higher, because of a change in %s", e.Module.Name, e.Version, changes.Next(e.Last, c.Bump), c))
		}
	}
	return errors.Join(errs...)
}

// apart reports sets whose modules would no longer share the first two numbers, and requirements on
// modules without a version.
func (r *Release) apart(plan Plan) error {
	var errs []error
	versions := map[string]string{}
	for _, e := range plan {
		versions[e.Module.Name] = e.now()
	}
	for _, set := range r.Settings.Sets {
		first := versions[set.Modules[0]]
		for _, name := range set.Modules {
			if v := versions[name]; semver.MajorMinor(v) != semver.MajorMinor(first) {
				errs = append(errs, fmt.Errorf("modules of the set %s share the first two numbers of their versions, but %s has %q and %s has %q", set.Name, set.Modules[0], first, name, v))
			}
		}
	}
	for _, e := range plan {
		for _, path := range e.Module.Siblings {
			if name := r.nameOf(path); e.now() != "" && versions[name] == "" {
				errs = append(errs, fmt.Errorf("%s requires %s, which has no version", e.Module.Name, name))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Release) nameOf(path string) string {
	i := slices.IndexFunc(r.Workspace.Modules, func(m modules.Module) bool { return m.Path == path })
	return r.Workspace.Modules[i].Name
}

// mostPrinted is how many changes of a module a plan prints.
const mostPrinted = 12

// String prints the plan for readers.
func (p Plan) String() string {
	var b strings.Builder
	for _, e := range p {
		last, version := e.Last, e.Version
		if last == "" {
			last = "(none)"
		}
		if version == "" {
			version = "(stays)"
		}
		fmt.Fprintf(&b, "%s: %s -> %s\n", e.Module.Name, last, version)
		for i, c := range e.Changes {
			if i == mostPrinted {
				fmt.Fprintf(&b, "  and %d more changes\n", len(e.Changes)-i)
				break
			}
			fmt.Fprintf(&b, "  %-5s  %s\n", c.Bump, c)
		}
	}
	return b.String()
}

// isIn reports whether a module is one of others, by its path.
func isIn(all []modules.Module, one modules.Module) bool {
	return slices.ContainsFunc(all, func(m modules.Module) bool { return m.Path == one.Path })
}
