package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	ko "github.com/google/ko/pkg/build"

	"github.com/stratakube/strata/operator/image/internal/base"
)

// Program is a command that gets an image.
type Program struct {
	// Name is that of the image, without a tag: demo-webhook, or one with a registry.
	Name string
	// Package is the command, as the go command in Options.Dir names it.
	Package string
	// Plugins is a folder whose files the image has in /plugins; empty for none.
	Plugins string
}

// Options configure a build.
type Options struct {
	// Dir is a folder in the Go module of the programs.
	Dir string
	// Out is the folder for the results.
	Out string
	Tag string
	// Platforms are those of the images, such as linux/arm64.
	Platforms []string
	// Base is the folder of an OCI layout of base images; empty for those that this program makes.
	Base string
}

// Built is an image. Digest is that of its index if it has several platforms.
type Built struct {
	Name, Digest string
	Files        []string // its tarballs, one for each platform
}

// Layout is the name of the folder of the OCI layout of all images.
const Layout = "layout"

// Images builds an image of each program.
func Images(ctx context.Context, o Options, programs ...Program) ([]Built, error) {
	if len(programs) == 0 {
		return nil, errors.New("no command to build")
	}
	var platforms []v1.Platform
	for _, text := range o.Platforms {
		p, err := v1.ParsePlatform(text)
		if err != nil || p.OS != "linux" || p.Architecture == "" {
			return nil, fmt.Errorf("%q is no platform of images, such as linux/amd64 or linux/arm64", text)
		}
		platforms = append(platforms, *p)
	}
	files := map[string]bool{}
	for _, p := range programs {
		tag, err := name.NewTag(p.Name + ":" + o.Tag)
		if err != nil {
			return nil, fmt.Errorf("%s:%s is no name of an image: %w", p.Name, o.Tag, err)
		}
		if file := path.Base(tag.RepositoryStr()); files[file] {
			return nil, fmt.Errorf("two images would be written to %s.tar", file)
		} else {
			files[file] = true
		}
	}
	bases, err := base.For(platforms, o.Base)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(o.Out, Layout)
	if err := os.RemoveAll(folder); err != nil {
		return nil, fmt.Errorf("make layout: %w", err)
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, fmt.Errorf("make layout: %w", err)
	}
	all, err := layout.Write(folder, empty.Index)
	if err != nil {
		return nil, fmt.Errorf("make layout: %w", err)
	}
	var out []Built
	for _, p := range programs {
		built, err := o.one(ctx, p, bases, all)
		if err != nil {
			return nil, fmt.Errorf("build the image of %s: %w", p.Package, err)
		}
		out = append(out, built)
	}
	return out, nil
}

// one builds and writes the image of a program.
func (o Options) one(ctx context.Context, p Program, bases []base.Image, all layout.Path) (Built, error) {
	if p.Plugins != "" {
		var with []base.Image
		for _, b := range bases {
			b, err := b.Add(p.Plugins)
			if err != nil {
				return Built{}, err
			}
			with = append(with, b)
		}
		bases = with
	}
	result, err := o.build(ctx, p.Package, bases)
	if err != nil {
		return Built{}, err
	}
	out := Built{Name: p.Name + ":" + o.Tag}
	digest, err := result.Digest()
	if err != nil {
		return Built{}, err
	}
	out.Digest = digest.String()
	named := layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": out.Name, // of the specification
		"io.containerd.image.name":          out.Name, // containerd and kind read this one
	})
	switch result := result.(type) {
	case v1.Image:
		if err := all.AppendImage(result, named); err != nil {
			return Built{}, err
		}
		out.Files, err = o.write(out.Name, "", result, nil)
	case v1.ImageIndex:
		if err := all.AppendIndex(result, named); err != nil {
			return Built{}, err
		}
		out.Files, err = o.each(out.Name, result)
	}
	return out, err
}

// each writes a tarball for each platform of an index.
func (o Options) each(reference string, index v1.ImageIndex) ([]string, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range manifest.Manifests {
		image, err := index.Image(d.Digest)
		if err != nil {
			return nil, err
		}
		if files, err = o.write(reference, "_"+strings.ReplaceAll(d.Platform.String(), "/", "_"), image, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// write writes a tarball, and adds its file to the others.
func (o Options) write(reference, platform string, image v1.Image, files []string) ([]string, error) {
	tag, err := name.NewTag(reference)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Out, path.Base(tag.RepositoryStr())+platform+".tar")
	if err := tarball.WriteToFile(file, tag, image); err != nil {
		return nil, fmt.Errorf("write tarball: %w", err)
	}
	return append(files, file), nil
}

// build builds a program on its bases: an image, or an index of several.
func (o Options) build(ctx context.Context, command string, bases []base.Image) (ko.Result, error) {
	var result ko.Result = bases[0].Image
	if len(bases) > 1 {
		result = base.Index(bases)
	}
	get := func(context.Context, string) (name.Reference, ko.Result, error) {
		digest, err := result.Digest()
		if err != nil {
			return nil, nil, err
		}
		// The reference names nothing that could be fetched.
		reference, err := name.NewDigest("strata.invalid/base@" + digest.String())
		return reference, result, err
	}
	var platforms []string
	for _, b := range bases {
		platforms = append(platforms, b.Platform.String())
	}
	builder, err := ko.NewGo(ctx, o.Dir,
		ko.WithBaseImages(get), ko.WithPlatforms(platforms...), ko.WithTrimpath(true),
		ko.WithDefaultLdflags([]string{"-s", "-w"}), ko.WithDefaultEnv([]string{"CGO_ENABLED=0"}),
		ko.WithUser(base.User), ko.WithDisabledSBOM(), ko.WithJobs(1),
	)
	if err != nil {
		return nil, fmt.Errorf("start builder: %w", err)
	}
	reference, err := builder.QualifyImport(command)
	if err != nil {
		return nil, err
	}
	if err := builder.IsSupportedReference(reference); err != nil {
		return nil, err
	}
	return builder.Build(ctx, reference)
}
