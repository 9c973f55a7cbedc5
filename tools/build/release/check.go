package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release/licences"
	"github.com/stratakube/strata/tools/build/steps"
)

// gates is a commit that is checked, with the proxy of exactly the trees that its tags will have.
type gates struct {
	*Release
	commit  string
	work    string        // a folder for everything that is built
	current []pack.Packed // all modules at their versions of releases.yaml
	pending []pack.Packed // those of them that have no tag yet
	proxy   *pack.Proxy   // has these, and all versions with tags
	env     []string      // of go commands that use the proxy, and no network
	again   []string      // the same with a module cache in another folder

	listed sync.Map // the packages of modules, by their names
}

// Check returns the gates of the commit that is checked out, as steps, and a function that removes
// what they built. The last step records that the commit has passed. Nothing of it uses a network.
func (r *Release) Check(ctx context.Context) ([]steps.Step, func(), error) {
	if err := r.Repository.Clean(ctx); err != nil {
		return nil, nil, err
	}
	head, err := r.Repository.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	g := &gates{Release: r, commit: head}
	if g.work, err = os.MkdirTemp("", "strata-check-"); err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(g.work) }
	if err := g.open(ctx); err != nil {
		remove()
		return nil, nil, err
	}
	return g.steps(), remove, nil
}

// open packs the modules, serves them, and extracts their zips.
func (g *gates) open(ctx context.Context) (err error) {
	if g.current, err = g.Current(ctx, g.commit); err != nil {
		return err
	}
	tagged, err := g.All(ctx)
	if err != nil {
		return err
	}
	for _, p := range g.current {
		if !slices.ContainsFunc(tagged, func(t pack.Packed) bool { return t.ID() == p.ID() }) {
			g.pending = append(g.pending, p)
		}
	}
	if len(g.pending) == 0 {
		return errors.New("all versions of releases.yaml have tags: run release:prepare first")
	}
	if g.proxy, err = pack.Serve(ctx, g.work, append(tagged, g.pending...)); err != nil {
		return err
	}
	if g.env, err = g.proxy.Environ(ctx); err != nil {
		return err
	}
	elsewhere, err := g.proxy.Elsewhere(filepath.Join(g.work, filepath.FromSlash(copies[1]), "modcache"))
	if err != nil {
		return err
	}
	if g.again, err = elsewhere.Environ(ctx); err != nil {
		return err
	}
	for _, p := range g.current {
		if err := extract(p, g.folder(p.Module)); err != nil {
			return err
		}
	}
	return nil
}

// copies are the two folders that everything is built in. Their names have different lengths.
var copies = []string{"first", "another/one"}

// folder is where a module's zip is extracted. No module is below another.
func (g *gates) folder(m modules.Module) string {
	return filepath.Join(g.work, "modules", flat(m.Name))
}

// installed is where the commands of one of the copies are installed.
func (g *gates) installed(copy string) string {
	return filepath.Join(g.work, filepath.FromSlash(copy), "bin")
}

func (g *gates) in(dir string) command.In {
	return command.In{Dir: dir, Env: slices.Clone(g.env)}
}

func (g *gates) steps() []steps.Step {
	failed := false
	watched := func(name string, do func(context.Context) error) steps.Step {
		return steps.Step{Name: name, Do: func(ctx context.Context) error {
			err := hinted(do(ctx))
			failed = failed || err != nil
			return err
		}}
	}
	all := []steps.Step{
		watched("versions", func(ctx context.Context) error { return g.checkVersions(ctx, g.commit) }),
		watched("go.mod and go.sum", func(ctx context.Context) error { return g.checkModFiles(ctx, g.commit, g.current) }),
		watched("module cache", g.verify),
		watched("modules", g.each(g.pending, g.module)),
		watched("licences", g.each(g.pending, g.licences)),
		watched("consumers", g.each(g.current, g.consumer)),
		watched("go install", g.each(g.pending, g.install)),
		watched("programs twice", g.each(g.pending, g.programs)),
	}
	if g.Settings.Images {
		all = append(all, watched("images twice", g.images))
	}
	if g.Settings.Generated != nil {
		all = append(all, watched("generated code twice", g.generatedTwice), watched("generated code and runtime", g.generated))
	}
	for _, c := range g.Settings.Checks {
		all = append(all, watched(c.Name, func(ctx context.Context) error {
			_, err := (command.In{Dir: g.Workspace.Root}).Output(ctx, c.Run[0], c.Run[1:]...)
			return err
		}))
	}
	return append(all, steps.Step{Name: "record", Do: func(context.Context) error {
		if failed {
			return fmt.Errorf("commit %.12s has not passed", g.commit)
		}
		return g.pass(g.commit)
	}})
}

// each returns a gate over modules, with as many at a time as there are processors.
func (g *gates) each(modules []pack.Packed, check func(context.Context, pack.Packed) error) func(context.Context) error {
	return func(ctx context.Context) error {
		all, ctx := errgroup.WithContext(ctx)
		all.SetLimit(runtime.GOMAXPROCS(0))
		for _, p := range modules {
			all.Go(func() error {
				if err := check(ctx, p); err != nil {
					return fmt.Errorf("%s: %w", p.Name, err)
				}
				return nil
			})
		}
		return all.Wait()
	}
}

// module checks that the zip of a module is tidy and compiles. go list -export compiles, and does
// not link as go build does.
func (g *gates) module(ctx context.Context, p pack.Packed) error {
	if _, err := g.in(g.folder(p.Module)).Output(ctx, "go", "mod", "tidy", "-diff"); err != nil {
		return err
	}
	return g.list(ctx, p.Module, "-export")
}

func (g *gates) licences(ctx context.Context, p pack.Packed) error {
	return licences.Check(ctx, g.in(g.folder(p.Module)), licences.Rules{Allowed: g.Settings.Licences, Excepted: g.Settings.Excepted})
}
