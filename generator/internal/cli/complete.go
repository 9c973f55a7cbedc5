package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// completeFlag lets shells complete the values of a flag. A flag that does not exist is a mistake
// of this package.
func completeFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err)
	}
}

// fixed completes one of a few values.
func fixed(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// files completes names of files with the given extensions.
func files(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

// folders completes names of folders.
func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeSource completes the kind of a source; shells complete the folder behind it.
func completeSource(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	if strings.ContainsRune(begun, '=') {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var out []string
	for _, kind := range scaffold.Kinds {
		out = append(out, kind+"=")
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeCommands completes the name of a command.
func completeCommands(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) == 0 {
		for _, one := range c.Root().Commands() {
			if !one.Hidden {
				out = append(out, one.Name()+"\t"+one.Short)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// names completes names of what was generated last: one of each row of the manifest. There are
// none without a configuration and a manifest.
func (a *app) names(config *string, of func(engine.Name) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := a.engine.Names(filepath.Clean(*config))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, name := range all {
			out = append(out, of(name)...)
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	}
}

// kindNames returns how commands call a kind.
func kindNames(n engine.Name) []string { return []string{n.Folder + "/" + n.Kind} }

// selections returns what --select takes: groups and kinds.
func selections(n engine.Name) []string { return []string{n.Folder, n.Folder + "/" + n.Kind} }

// typeNames returns what --only takes: types and versions.
func typeNames(n engine.Name) []string {
	if strings.ContainsAny(n.Type, "*?[{") {
		return nil
	}
	return []string{n.Type}
}
