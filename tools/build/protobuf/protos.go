package protobuf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// Module is the folder of the module with the protobuf files, below the root of the workspace.
const Module = "operator/plugin"

// Folders are those with protobuf files, below the module. Of the first one there are releases.
var Folders = []string{"proto", "internal/changes/proto"}

// Generator is buf with what it calls.
type Generator struct {
	module string
	in     command.In
	buf    string
	bin    string // a folder with what buf calls
}

// Open builds the programs, where that has not been done.
func Open(ctx context.Context, w *modules.Workspace) (*Generator, error) {
	bin, err := os.MkdirTemp("", "strata-proto-*")
	if err != nil {
		return nil, fmt.Errorf("open generator: %w", err)
	}
	g := &Generator{module: filepath.Join(w.Root, filepath.FromSlash(Module)), bin: bin}
	g.in = command.In{Env: []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}}
	box := command.In{Dir: filepath.Join(w.Root, "tools", "build", "protobuf", "buf"), Env: []string{"GOWORK=off"}}
	for _, program := range []string{"buf", "protoc-gen-go"} {
		built, err := box.Output(ctx, "go", "tool", "-n", program)
		if err == nil {
			err = os.Symlink(strings.TrimSpace(built), filepath.Join(bin, program))
		}
		if err != nil {
			g.Close()
			return nil, fmt.Errorf("build %s: %w", program, err)
		}
	}
	ours := command.In{Dir: w.Root}
	if err := ours.Go(ctx, "build", "-o", bin+string(filepath.Separator), "./"+Module+"/internal/protoc-gen-strata-plugin"); err != nil {
		g.Close()
		return nil, err
	}
	g.buf = filepath.Join(bin, "buf")
	return g, nil
}

// Close removes what Open has made.
func (g *Generator) Close() { os.RemoveAll(g.bin) }

// Generate writes the code, and what it is summed up to.
func (g *Generator) Generate(ctx context.Context) error {
	if err := g.generate(ctx, g.module); err != nil {
		return err
	}
	text, err := sums(g.module)
	if err != nil {
		return err
	}
	if err := os.WriteFile(g.sumFile(), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write sums: %w", err)
	}
	return nil
}

func (g *Generator) sumFile() string { return filepath.Join(g.module, "proto", "generated.txt") }

func (g *Generator) generate(ctx context.Context, into string) error {
	for _, folder := range Folders {
		if err := g.run(ctx, folder, "generate", "-o", into); err != nil {
			return err
		}
	}
	return nil
}

func (g *Generator) run(ctx context.Context, folder string, args ...string) error {
	in := g.in
	in.Dir = filepath.Join(g.module, filepath.FromSlash(folder))
	return in.Run(ctx, g.buf, args...)
}

// Check proves that the code is what the files give, that these are in form, and that they break
// nothing which was released.
func (g *Generator) Check(ctx context.Context) error {
	var wrong []error
	for _, folder := range Folders {
		wrong = append(wrong, g.run(ctx, folder, "lint"), g.run(ctx, folder, "format", "-d", "--exit-code"))
	}
	images, err := filepath.Glob(filepath.Join(g.module, "releases", "*", ImageFile))
	if err != nil {
		return err
	}
	for _, image := range images {
		wrong = append(wrong, g.run(ctx, Folders[0], "breaking", "--against", image))
	}
	return errors.Join(append(wrong, g.differs(ctx))...)
}

// ImageFile is the name of the protobuf files of a release, as buf builds them.
const ImageFile = "image.binpb"

// differs generates once more, elsewhere, and compares.
func (g *Generator) differs(ctx context.Context) error {
	into, err := os.MkdirTemp("", "strata-proto-*")
	if err != nil {
		return fmt.Errorf("generate once more: %w", err)
	}
	defer os.RemoveAll(into)
	if err := g.generate(ctx, into); err != nil {
		return err
	}
	return compare(into, g.module)
}

// Release writes the image of the present files, for a release.
func (g *Generator) Release(ctx context.Context, release string) error {
	return g.run(ctx, Folders[0], "build", "-o", filepath.Join(g.module, "releases", release, ImageFile))
}
