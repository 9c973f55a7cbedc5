package targets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/archives"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release/settings"
	"github.com/stratakube/strata/tools/build/standalone"
	"github.com/stratakube/strata/tools/build/steps"
)

// box is a module outside of the workspace, which names tools and pins their requirements.
type box struct {
	name     string // its folder below the root
	packages string // what of it is built
	tests    tests  // the least tests that build it
}

// tests are a set of tests. A larger one contains the smaller ones.
type tests int

const (
	usualTests tests = iota // those of Test
	longTests               // those of TestLong
	noTests                 // of what no test builds
)

// lintBox is the folder of the box with golangci-lint.
const lintBox = "tools/build/lint"

// boxes are all of them. Every other go.mod of the repository is a module of the workspace, or a
// file of tests.
var boxes = []box{
	{"tools/testcluster/binaries/kubernetes", "tool", usualTests},
	{"tools/testcluster/binaries/helm", "tool", longTests},
	{"tools/bench/generator/peers", "tool", noTests},
	{"operator/image", "./...", longTests},
	{"tools/build/archives/sign", "./...", longTests},
	{"tools/build/archives/krew", "tool", longTests},
	{"tools/build/workflows/actionlint", "tool", usualTests},
	{"tools/build/images/dockerfile", "./...", longTests},
	{"tools/build/site/hugo", "tool", longTests},
	{lintBox, "tool", usualTests},
	{"tools/build/mutation/gremlins", "tool", longTests},
}

// in is where and how go commands run on the box.
func (b box) in(w *modules.Workspace) command.In {
	return command.In{Dir: filepath.Join(w.Root, filepath.FromSlash(b.name)), Env: []string{"GOWORK=off"}}
}

// Modules downloads the modules of all packages, tests and tools, so that every other target does
// without a network.
func Modules(ctx context.Context) error {
	return do(ctx, download(noTests))
}

// download downloads, in one step, what tests build: the imports of the workspace's packages and of
// boxes, their tests included. The go command downloads a module when it lists a package of it, so
// that it omits modules without an import.
func download(of tests) part {
	return one("modules", func(ctx context.Context, w *modules.Workspace) error {
		printLine("downloading modules, where that has not been done")
		all, ctx := errgroup.WithContext(ctx)
		all.SetLimit(downloads)
		all.Go(func() error { return downloadWorkspace(ctx, w, of) })
		for _, b := range boxes {
			if b.tests <= of {
				all.Go(func() error { return b.download(ctx, w) })
			}
		}
		return all.Wait()
	})
}

// downloads is how many go commands download at the same time. Each waits for the network most of
// the time.
const downloads = 4

// downloadWorkspace downloads the requirements of the workspace. For more than the usual tests, it
// then downloads those of its modules alone and of released plugins. Most of these are the same.
func downloadWorkspace(ctx context.Context, w *modules.Workspace, of tests) error {
	if err := list(ctx, atRoot(w), append([]string{"-test"}, w.Patterns()...)...); err != nil || of == usualTests {
		return err
	}
	if err := downloadControllerGen(ctx, w); err != nil {
		return err
	}
	if err := downloadAlone(ctx, w); err != nil {
		return err
	}
	if err := archives.Download(ctx, w.Root); err != nil {
		return err
	}
	return downloadReleased(ctx, w)
}

func (b box) download(ctx context.Context, w *modules.Workspace) error {
	what := []string{b.packages}
	if b.packages != "tool" { // tests of tools are those of their authors
		what = []string{"-test", b.packages}
	}
	if err := list(ctx, b.in(w), what...); err != nil {
		return fmt.Errorf("download modules of %s: %w", b.name, err)
	}
	return nil
}

// downloadAlone downloads the requirements of each module without the others, which may be other
// versions, and those of a new module that imports it. Modules outside of go.work are included if
// they are released: release:prepare and release:check use no network.
func downloadAlone(ctx context.Context, w *modules.Workspace) error {
	proxy, err := pack.Cached(ctx, w)
	if err != nil {
		return err
	}
	all, err := withReleased(w)
	if err != nil {
		return err
	}
	for _, m := range all.Modules {
		if err := standalone.Download(ctx, m, proxy); err != nil {
			return fmt.Errorf("download modules of %s: %w", m.Name, err)
		}
		if isTools(m) || m.IsApart {
			continue
		}
		if err := standalone.DownloadForUser(ctx, m, proxy); err != nil {
			return fmt.Errorf("download modules for users of %s: %w", m.Name, err)
		}
	}
	return nil
}

// withReleased returns the workspace with the modules outside of go.work that are released.
func withReleased(w *modules.Workspace) (*modules.Workspace, error) {
	if _, err := os.Stat(filepath.Join(w.Root, settings.File)); errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	_, all, err := settings.Read(w)
	return all, err
}

// controllerTools is the module of controller-gen. Tests and a page of the guide build
// controller-gen at the version that the workspace selects. No package imports it.
const controllerTools = "sigs.k8s.io/controller-tools"

// downloadControllerGen downloads the requirements of controller-gen if the workspace has it.
func downloadControllerGen(ctx context.Context, w *modules.Workspace) error {
	for _, m := range w.Modules {
		file, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
		if err != nil {
			return err
		}
		if bytes.Contains(file, []byte(controllerTools+" v")) {
			return list(ctx, atRoot(w), controllerTools+"/cmd/controller-gen")
		}
	}
	return nil
}

// released are the plugins of a module as they were released, which tests build once more.
const released = "releases/*/plugin.txtar"

// downloadReleased downloads the requirements of the released plugins of all modules, at the
// versions of their release.
func downloadReleased(ctx context.Context, w *modules.Workspace) error {
	for _, m := range w.Modules {
		archives, err := filepath.Glob(filepath.Join(m.Dir, filepath.FromSlash(released)))
		if err != nil {
			return err
		}
		for _, path := range archives {
			if err := downloadArchive(ctx, w, path); err != nil {
				return fmt.Errorf("download modules of %s: %w", path, err)
			}
		}
	}
	return nil
}

// downloadArchive downloads the requirements of an archive. An unpublished sibling is the present
// module, as in the tests that build the archive.
func downloadArchive(ctx context.Context, w *modules.Workspace, path string) error {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "strata-released-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := txtar.Write(archive, dir); err != nil {
		return err
	}
	flags, err := replaceUnpublished(w, dir)
	if err != nil {
		return err
	}
	return list(ctx, command.In{Dir: dir, Env: []string{"GOWORK=off"}}, append(flags, "./...")...)
}

// replaceUnpublished replaces unpublished siblings in the go.mod of a folder by the workspace's
// modules. It returns the flags of go commands that then update the go.mod.
func replaceUnpublished(w *modules.Workspace, dir string) (flags []string, err error) {
	mod, err := modules.ReadMod(dir)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		i := slices.IndexFunc(w.Modules, func(m modules.Module) bool { return m.Path == r.Mod.Path })
		if r.Mod.Version != modules.Unpublished || i < 0 {
			continue
		}
		flags = []string{"-mod=mod"}
		if err := mod.AddReplace(r.Mod.Path, "", w.Modules[i].Dir, ""); err != nil {
			return nil, err
		}
	}
	text, err := mod.Format()
	if err != nil {
		return nil, err
	}
	return flags, os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666)
}

func list(ctx context.Context, in command.In, args ...string) error {
	_, err := in.Output(ctx, "go", append([]string{"list", "-deps", "-f", "{{.ImportPath}}"}, args...)...)
	return err
}

// toolboxes is a step for each box: a go command in its folder. Nothing in them is vetted, since
// that would compile the tools with their tests.
func toolboxes(name string, args ...string) part {
	return func(w *modules.Workspace) []steps.Step {
		var all []steps.Step
		for _, b := range boxes {
			all = append(all, steps.Step{Name: name + " " + b.name, Do: func(ctx context.Context) error { return b.in(w).Go(ctx, args...) }})
		}
		return all
	}
}
