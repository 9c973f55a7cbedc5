package env

import (
	"context"
	"fmt"
	"path/filepath"

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
// Build does.
func BuildOf(ctx context.Context, dir, operator, webhook string) (Programs, error) {
	p := Programs{Operator: filepath.Join(dir, "strata-operator"), Webhook: filepath.Join(dir, "strata-webhook")}
	var err error
	if p.Plugins, err = BuildPlugins(ctx, dir); err != nil {
		return Programs{}, err
	}
	if err := build(ctx, p.Webhook, webhook); err != nil {
		return Programs{}, err
	}
	return p, build(ctx, p.Operator, operator)
}

// BuildPlugins builds the providers into a folder of their own below dir, and locks them. It
// returns that folder.
func BuildPlugins(ctx context.Context, dir string) (string, error) {
	folder := filepath.Join(dir, "plugins")
	if err := build(ctx, filepath.Join(folder, "strata-arm"), "./operator/arm/cmd/strata-arm"); err != nil {
		return "", err
	}
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	if _, err := (command.In{Dir: w.Root}).Output(ctx, "go", "run", "./operator/plugin/cmd/strata-plugin", "verify", "--write", "--dir", folder); err != nil {
		return "", fmt.Errorf("lock the plugins: %w", err)
	}
	return folder, nil
}

func build(ctx context.Context, file, pkg string) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	return programs.Build(ctx, command.In{Dir: w.Root}, file, pkg)
}
