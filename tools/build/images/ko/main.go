// Command ko builds images of Go commands without a container engine and without a registry: with
// ko, on a base that it makes itself. Each argument is the import path of a command, and after a
// `=` a folder whose files the image has in /plugins. Package images in tools runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/ko/pkg/build"
	"github.com/google/ko/pkg/publish"
)

func main() {
	o := options{folders: map[string]string{}}
	flag.StringVar(&o.root, "root", ".", "the `folder` in which import paths are understood")
	flag.StringVar(&o.out, "out", "images", "the `folder` for what is built")
	flag.StringVar(&o.tag, "tag", "dev", "the images' `tag`")
	flag.StringVar(&o.platform, "platform", "linux/amd64", "the `platform` of the images")
	flag.Parse()
	for _, argument := range flag.Args() {
		command, folder, _ := strings.Cut(argument, "=")
		o.commands, o.folders[command] = append(o.commands, command), folder
	}
	if err := o.build(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "ko: error: %v\n", err)
		os.Exit(1)
	}
}

// options configure a build.
type options struct {
	root, out, tag, platform string
	commands                 []string
	folders                  map[string]string // of plugins, by command; may be empty
}

// build writes a tarball for each command, and an OCI layout of all of them.
func (o options) build(ctx context.Context) error {
	if len(o.commands) == 0 {
		return errors.New("no command to build")
	}
	platform, err := v1.ParsePlatform(o.platform)
	if err != nil {
		return fmt.Errorf("read platform: %w", err)
	}
	builder, err := build.NewGo(ctx, o.root,
		build.WithBaseImages(o.bases(*platform)), build.WithPlatforms(o.platform), build.WithTrimpath(true),
		build.WithDefaultLdflags([]string{"-s", "-w"}), build.WithDefaultEnv([]string{"CGO_ENABLED=0"}),
		build.WithUser(user), build.WithDisabledSBOM(), build.WithJobs(1),
	)
	if err != nil {
		return fmt.Errorf("start builder: %w", err)
	}
	folder := filepath.Join(o.out, "layout")
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("make layout: %w", err)
	}
	all, err := layout.Write(folder, empty.Index)
	if err != nil {
		return fmt.Errorf("make layout: %w", err)
	}
	for _, command := range o.commands {
		if err := o.one(ctx, builder, command, all); err != nil {
			return fmt.Errorf("build the image of %s: %w", command, err)
		}
	}
	return nil
}

// one builds the image of a command, and prints its name and digest.
func (o options) one(ctx context.Context, builder build.Interface, command string, all layout.Path) error {
	of := build.StrictScheme + command
	if err := builder.IsSupportedReference(of); err != nil {
		return err
	}
	built, err := builder.Build(ctx, of)
	if err != nil {
		return err
	}
	image, ok := built.(v1.Image)
	if !ok {
		return fmt.Errorf("it is a %T, not an image", built)
	}
	base := path.Base(command)
	named := func(string, string) string { return base }
	tarball := publish.NewTarball(filepath.Join(o.out, base+".tar"), "", named, []string{o.tag})
	if _, err := tarball.Publish(ctx, image, of); err != nil {
		return err
	}
	if err := tarball.Close(); err != nil {
		return err
	}
	reference := map[string]string{"org.opencontainers.image.ref.name": base + ":" + o.tag}
	if err := all.AppendImage(image, layout.WithAnnotations(reference)); err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("%s:%s %s\n", base, o.tag, digest)
	return nil
}

// bases gives ko the base of each command. Its reference names nothing that could be fetched.
func (o options) bases(platform v1.Platform) build.GetBase {
	return func(_ context.Context, of string) (name.Reference, build.Result, error) {
		image, err := base(platform, o.folders[strings.TrimPrefix(of, build.StrictScheme)])
		if err != nil {
			return nil, nil, err
		}
		digest, err := image.Digest()
		if err != nil {
			return nil, nil, err
		}
		reference, err := name.NewDigest("strata.invalid/base@" + digest.String())
		return reference, image, err
	}
}
