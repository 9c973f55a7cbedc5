package kindcli

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/internal/protofiles"
	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

// Program is strata-plugin-kinds.
var Program = commandline.Program{
	Name:  "strata-plugin-kinds",
	Short: "strata-plugin-kinds generates, checks, records and lists a project's own kinds of plugins.",
	Commands: []commandline.Command{
		{Name: "generate", Usage: "generate [--dir DIR]", Short: "generate the Go side of the protobuf files", Run: runGenerate},
		{Name: "check", Usage: "check [--dir DIR]", Short: "find released versions that changed, and code to generate", Run: runCheck},
		{Name: "release", Usage: "release VERSION [--dir DIR]", Short: "record the kinds of a release, before it is tagged", Run: runRelease},
		{Name: "list", Usage: "list [FOLDER] [--dir DIR] [-o table|json]", Short: "list the plugins of a folder, and how the project uses them", Run: runList},
	},
}

// runGenerate generates the code of a project's kinds.
func runGenerate(ctx context.Context, args []string, _ commandline.Streams) error {
	p, words, err := project(args, nil)
	if err := errors.Join(err, commandline.NoWords(words)); err != nil {
		return err
	}
	return p.Generate(ctx)
}

// runCheck checks a project's kinds. Problems are findings.
func runCheck(ctx context.Context, args []string, s commandline.Streams) error {
	p, words, err := project(args, nil)
	if err := errors.Join(err, commandline.NoWords(words)); err != nil {
		return err
	}
	if err := CheckProject(ctx, p); err != nil {
		return commandline.Found(err)
	}
	fmt.Fprintln(s.Out, "the kinds are as they were released, and their code is as generated")
	return nil
}

// runRelease records a release.
func runRelease(ctx context.Context, args []string, s commandline.Streams) error {
	p, words, err := project(args, nil)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return errors.New("want the version of the release, as in v0.2.0")
	}
	if err := Record(ctx, p, words[0]); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s/%s records the kinds of %s: commit it with the tag\n", releases.Folder, words[0], words[0])
	return nil
}

// project reads the project that the flags name. Others declares further flags; nil for none.
func project(args []string, others func(*flag.FlagSet)) (p *protofiles.Project, words []string, err error) {
	var folder string
	words, err = commandline.Flags(args, func(f *flag.FlagSet) {
		f.StringVar(&folder, "dir", ".", "")
		if others != nil {
			others(f)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	p, err = protofiles.Open(folder)
	return p, words, err
}
