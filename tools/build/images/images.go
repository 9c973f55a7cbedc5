package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
	"github.com/stratakube/strata/tools/build/programs"
)

// names are those of the commands that have images, with the plugins that an image holds. Those
// that the workspace does not have are left out.
var names = []struct {
	name    string
	plugins []string
}{
	{name: "strata-webhook"},
	{name: "strata-operator", plugins: []string{"strata-arm"}},
	{name: "strata-arm"},
}

// environments are the variables that plugins in images see, by the name of the plugin.
var environments = map[string][]string{"strata-arm": {"AZURE_*", "IDENTITY_*"}}

// Command is a command with an image.
type Command struct {
	Name, ImportPath string
	Plugins          []Command
}

// Options configure a build.
type Options struct {
	// Out is the folder for the results. Build creates it.
	Out string
	// Tag is that of the images; DefaultTag where it is empty.
	Tag string
}

// Platform is that of the images. Plugins are locked by running them, so it is this machine's.
const Platform = "linux/" + runtime.GOARCH

// Find finds the commands of the workspace that have images.
func Find(ctx context.Context, w *modules.Workspace) ([]Command, error) {
	all, err := packages.List(ctx, w)
	if err != nil {
		return nil, err
	}
	return choose(all), nil
}

func choose(all []packages.Package) []Command {
	find := func(name string) (Command, bool) {
		i := slices.IndexFunc(all, func(p packages.Package) bool {
			return path.Base(p.ImportPath) == name && path.Base(path.Dir(p.ImportPath)) == "cmd"
		})
		if i < 0 {
			return Command{}, false
		}
		return Command{Name: name, ImportPath: all[i].ImportPath}, true
	}
	var out []Command
	for _, n := range names {
		c, ok := find(n.name)
		if !ok {
			continue
		}
		for _, plugin := range n.plugins {
			if p, ok := find(plugin); ok {
				c.Plugins = append(c.Plugins, p)
			}
		}
		out = append(out, c)
	}
	return out
}

// Build builds the images of all commands of the workspace that have one. It returns a line with
// name and digest for each.
func Build(ctx context.Context, w *modules.Workspace, o Options) (string, error) {
	commands, err := Find(ctx, w)
	if err != nil {
		return "", err
	}
	if len(commands) == 0 {
		return "", errors.New("build images: the workspace has no command that has one")
	}
	work, err := os.MkdirTemp("", "strata-images-")
	if err != nil {
		return "", fmt.Errorf("build images: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	var arguments []string
	for _, c := range commands {
		arguments = append(arguments, c.Name+"="+c.ImportPath)
		if len(c.Plugins) > 0 {
			folder := filepath.Join(work, c.Name)
			if err := lock(ctx, w, folder, c.Plugins); err != nil {
				return "", err
			}
			arguments = append(arguments, "--plugins="+c.Name+"="+folder)
		}
	}
	return build(ctx, w, w.Root, o, arguments...)
}

// lock builds plugins into a folder, and locks them there. They run for that, once.
func lock(ctx context.Context, w *modules.Workspace, folder string, plugins []Command) error {
	if runtime.GOOS != "linux" {
		return errors.New("build images: the operator's holds plugins, which are locked by running them: this needs Linux")
	}
	root := command.In{Dir: w.Root, Env: []string{"CGO_ENABLED=0"}}
	for _, p := range plugins {
		file := filepath.Join(folder, p.Name)
		if _, err := root.Output(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, p.ImportPath); err != nil {
			return fmt.Errorf("build the plugin %s: %w", p.Name, err)
		}
	}
	verify := []string{"run", "-trimpath", "./operator/plugin/cmd/strata-plugin", "verify", "--dir", folder, "--write"}
	for _, p := range plugins {
		for _, variable := range environments[p.Name] {
			verify = append(verify, "--environment", p.Name+"="+variable)
		}
	}
	if _, err := root.Output(ctx, "go", verify...); err != nil {
		return fmt.Errorf("lock plugins: %w", err)
	}
	return nil
}

// DefaultTag is the tag of images. The packages that Strata generates name it by default.
const DefaultTag = "dev"

// build builds images of commands in the module of a folder. The arguments are those of
// strata-image.
func build(ctx context.Context, w *modules.Workspace, root string, o Options, arguments ...string) (string, error) {
	out, err := filepath.Abs(o.Out)
	if err != nil {
		return "", fmt.Errorf("build images: %w", err)
	}
	tag := o.Tag
	if tag == "" {
		tag = DefaultTag
	}
	bin, err := os.MkdirTemp("", "strata-images-")
	if err != nil {
		return "", fmt.Errorf("build images: %w", err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	program, err := builder(ctx, w, bin)
	if err != nil {
		return "", err
	}
	flags := append([]string{"--out=" + out, "--tag=" + tag, "--platform=" + Platform}, arguments...)
	printed, err := command.In{Dir: root}.Output(ctx, program, flags...)
	if err != nil {
		return "", fmt.Errorf("build images: %w", err)
	}
	return printed, nil
}

// builder builds strata-image into a folder.
func builder(ctx context.Context, w *modules.Workspace, folder string) (string, error) {
	program := filepath.Join(folder, "strata-image")
	if err := programs.Build(ctx, module(w), program, "./cmd/strata-image"); err != nil {
		return "", err
	}
	return program, nil
}

// module is where and how go commands run on the module of strata-image.
func module(w *modules.Workspace) command.In {
	return command.In{Dir: filepath.Join(w.Root, "operator", "image"), Env: []string{"GOWORK=off"}}
}
