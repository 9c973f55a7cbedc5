package env

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// Programs are the built programs of an API.
type Programs struct {
	Webhook  string // a file
	Operator string // a file
	Plugins  string // the folder of the plugins, with its lock
}

// Build builds the programs of the worked example into a folder. The current folder is in the
// workspace.
func Build(ctx context.Context, dir string) (Programs, error) {
	return BuildOf(ctx, dir, "./operator/cmd/strata-operator", "./operator/cmd/strata-webhook")
}

// BuildOf builds the programs of an API from the packages of its operator and of its webhook, as
// Build does. The flags are those of `go build` for the operator and the providers. With Race,
// these programs report data races in their output.
func BuildOf(ctx context.Context, dir, operator, webhook string, flags ...string) (Programs, error) {
	p := Programs{Operator: filepath.Join(dir, "strata-operator"), Webhook: filepath.Join(dir, "strata-webhook")}
	var err error
	if p.Plugins, err = BuildPlugins(ctx, dir, flags...); err != nil {
		return Programs{}, err
	}
	if err := build(ctx, p.Webhook, webhook); err != nil {
		return Programs{}, err
	}
	return p, build(ctx, p.Operator, operator, flags...)
}

// Race is the flag of `go build` for the race detector, which needs a C compiler.
const Race = "-race"

// BuildPlugins builds the providers into a folder of their own below dir, and locks them. It
// returns that folder. The flags are those of `go build`.
func BuildPlugins(ctx context.Context, dir string, flags ...string) (string, error) {
	folder := filepath.Join(dir, "plugins")
	if err := build(ctx, filepath.Join(folder, "strata-arm"), "./operator/arm/cmd/strata-arm", flags...); err != nil {
		return "", err
	}
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	verify := []string{"run", "./operator/plugin/cmd/strata-plugin", "verify", "--write", "--dir", folder}
	if slices.Contains(flags, Race) { // it says where races are reported
		verify = append(verify, "--environment=strata-arm=GORACE")
	}
	if _, err := (command.In{Dir: w.Root}).Output(ctx, "go", verify...); err != nil {
		return "", fmt.Errorf("lock the plugins: %w", err)
	}
	return folder, nil
}

func build(ctx context.Context, file, pkg string, flags ...string) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	in := command.In{Dir: w.Root}
	if slices.Contains(flags, Race) {
		in.Env = []string{"CGO_ENABLED=1"}
	}
	return programs.Build(ctx, in, file, pkg, flags...)
}
