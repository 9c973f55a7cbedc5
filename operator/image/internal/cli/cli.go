package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/operator/image/internal/build"
)

// The exit codes.
const (
	Done   = 0
	Failed = 2
)

// Streams are the outputs of the command line.
type Streams struct{ Out, Err io.Writer }

// Run runs one command line, without the program's name, and returns the exit code.
func Run(ctx context.Context, args []string, s Streams) int {
	root := command(s)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(s.Err, "strata image: error: %v\n", err)
		return Failed
	}
	return Done
}

func command(s Streams) *cobra.Command {
	var o build.Options
	var plugins map[string]string
	c := &cobra.Command{
		Use:   "strata image [flags] [NAME=]PACKAGE...",
		Short: "build images of your webhook and operator, without a container engine",
		Long: "image builds a container image of each command of the Go module in this folder. It needs neither a\n" +
			"container engine nor a registry. NAME is that of the image, without a tag; by default the last element\n" +
			"of PACKAGE. The images are written to --out: an OCI layout of all, and a tarball of each, for\n" +
			"`kind load image-archive` and `docker load`. With several platforms there is a tarball for each.\n\n" +
			"The base has trusted CAs, a user that is not root, and /tmp. The same sources give the same digests.",
		Example: "  strata image demo-webhook=./cmd/webhook\n" +
			"  strata image --platform linux/amd64,linux/arm64 --tag v1 registry.example.com/demo-webhook=./cmd/webhook\n" +
			"  strata image demo-operator=./cmd/operator --plugins demo-operator=plugins",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the commands to build, such as ./cmd/webhook")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			programs, err := programs(args, plugins)
			if err != nil {
				return err
			}
			if o.Out, err = filepath.Abs(o.Out); err != nil {
				return err
			}
			built, err := build.Images(c.Context(), o, programs...)
			if err != nil {
				return err
			}
			for _, b := range built {
				fmt.Fprintf(s.Out, "%s %s\n", b.Name, b.Digest)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Dir, "dir", "C", ".", "the `folder` of the Go module")
	f.StringVarP(&o.Out, "out", "o", filepath.Join("bin", "images"), "the `folder` for the images")
	f.StringVar(&o.Tag, "tag", "dev", "the images' `tag`")
	f.StringSliceVar(&o.Platforms, "platform", []string{"linux/" + runtime.GOARCH}, "the `platforms` of the images")
	f.StringVar(&o.Base, "base", "", "a `folder` with an OCI layout of the base image, instead of the one that is made")
	f.StringToStringVar(&plugins, "plugins", nil, "`NAME=FOLDER`: plugins, with their lock file, that an image has in /plugins; with several platforms, FOLDER has folders such as linux_arm64")
	return c
}

// programs are those that the arguments name.
func programs(args []string, plugins map[string]string) ([]build.Program, error) {
	var out []build.Program
	for _, arg := range args {
		name, pkg, ok := strings.Cut(arg, "=")
		if !ok {
			name, pkg = path.Base(filepath.ToSlash(arg)), arg
		}
		if pkg == "" || name == "." || name == ".." || name == "..." {
			return nil, fmt.Errorf("%q names no image: use NAME=PACKAGE, such as demo-webhook=./cmd/webhook", arg)
		}
		out = append(out, build.Program{Name: name, Package: pkg, Plugins: plugins[name]})
	}
	for name := range plugins {
		if !slices.ContainsFunc(out, func(p build.Program) bool { return p.Name == name }) {
			return nil, fmt.Errorf("--plugins %s: no image is called so", name)
		}
	}
	return out, nil
}
