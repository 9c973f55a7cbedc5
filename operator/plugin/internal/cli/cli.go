package cli

import "github.com/stratakube/strata/operator/plugin/internal/commandline"

// Program is strata-plugin.
var Program = commandline.Program{
	Name:  "strata plugin",
	Short: "strata plugin looks after plugins of the operator.",
	Commands: []commandline.Command{
		{Name: "new", Usage: "new NAME [--dir DIR] [--module PATH]", Short: "write a plugin to begin with", Run: runNew},
		{Name: "list", Usage: "list [DIR] [-o table|json]", Short: "list the plugins of a folder, each name once", Run: runList},
		{Name: "verify", Usage: "verify [DIR] [--write [--environment FILE=PATTERN]]", Short: "start the plugins of a folder and compare them with its lock", Run: runVerify},
	},
}
