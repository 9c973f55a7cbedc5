package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stratakube/strata/generator/internal/diag"
)

// The groups of commands in the help text.
const (
	ownCommands     = "commands"
	programCommands = "programs"
)

func (a *app) root() *cobra.Command {
	info, _ := debug.ReadBuildInfo()
	root := &cobra.Command{
		Use:   "strata",
		Short: "generate versioned Kubernetes APIs and the conversions between them",
		Long: "strata reads the schemas of all versions of an API. It generates Go types, storage types, the\n" +
			"conversions between them, and tests of the conversions.\n\n" +
			"Any program called strata-NAME, beside strata or in PATH, is the command strata NAME.",
		Version:       aboutThis(info).line(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	root.SetFlagErrorFunc(wrongFlag)
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print no progress, no notes, and no summary of what was written")
	root.AddGroup(&cobra.Group{ID: ownCommands, Title: "Commands:"}, &cobra.Group{ID: programCommands, Title: "Programs that are installed separately:"})
	for _, c := range []*cobra.Command{
		a.init(), a.generate(), a.check(), a.convert(), a.diff(), a.doctor(), a.eject(), a.explain(), a.explorer(), a.imports(), a.install(), a.show(), a.version(), a.watch(), a.help(), a.completion(),
	} {
		c.GroupID = ownCommands
		root.AddCommand(c)
	}
	for _, p := range programs {
		root.AddCommand(p.command())
	}
	root.SetHelpCommand(find(root, "help"))
	root.CompletionOptions.DisableDefaultCmd = true
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("help").Usage = "print help; of a command with strata COMMAND --help"
	root.Flags().Lookup("version").Usage = "print the version of strata"
	return root
}

// find returns a command by its name; nil if there is none.
func find(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// noCommand refuses words that are no command, and suggests the nearest command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	m := diag.Errorf(diag.Pos{}, "unknown command %q", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return m.WithHint("did you mean %q?", near[0])
	}
	return m.WithHint("strata help lists the commands; others are programs called %s%s, beside strata or in PATH", prefix, args[0])
}

// noArguments refuses words after a command.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return wrongUsage(c, fmt.Errorf("%s takes no arguments: %q", c.CommandPath(), strings.Join(args, " ")))
}

// wrongUsage returns an error of a command line, with the command that prints the right usage.
func wrongUsage(c *cobra.Command, err error) error {
	return diag.Errorf(diag.Pos{}, "%v", err).WithHint("see %s --help", c.CommandPath())
}

// wrongFlag returns an error of flags. It suggests the flag that an unknown one is nearest to.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return wrongUsage(c, err)
	}
	if near := diag.Nearest(unknown.GetSpecifiedName(), flagsOf(c)); near != "" {
		return diag.Errorf(diag.Pos{}, "%v", err).WithHint("did you mean --%s?", near)
	}
	for _, of := range c.Commands() {
		if near := diag.Nearest(unknown.GetSpecifiedName(), flagsOf(of)); near != "" {
			return diag.Errorf(diag.Pos{}, "%v", err).WithHint("did you mean --%s? Flags follow their command, such as %s --%[1]s", near, of.CommandPath())
		}
	}
	return wrongUsage(c, err)
}

// flagsOf returns the names of the flags of a command.
func flagsOf(c *cobra.Command) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// help is the command that prints the help of a command.
func (a *app) help() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "print the help of a command",
		Example:           "  strata help generate",
		ValidArgsFunction: completeCommands,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage(c, fmt.Errorf("%s takes one command: %q", c.CommandPath(), strings.Join(args, " ")))
			}
			if len(args) == 0 {
				return c.Root().Help()
			}
			switch about := find(c.Root(), args[0]); {
			case about == nil:
				return noCommand(c.Root(), args)
			case about.GroupID == programCommands:
				return about.RunE(about, nil) // it is not there
			default:
				return about.Help()
			}
		},
	}
}

// completion is the command that prints completions.
func (a *app) completion() *cobra.Command {
	write := map[string]func(*cobra.Command, io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
		"zsh":        (*cobra.Command).GenZshCompletion,
	}
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "print completions for a shell",
		Long: "completion prints the program by which a shell completes commands, flags and their values. SHELL is\n" +
			"bash, fish, powershell or zsh.",
		Example:           "  source <(strata completion bash)\n  strata completion zsh > \"${fpath[1]}/_strata\"\n  strata completion fish > ~/.config/fish/completions/strata.fish",
		ValidArgsFunction: cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || write[args[0]] == nil {
				return wrongUsage(c, fmt.Errorf("%s takes the name of a shell, bash, fish, powershell or zsh: %q", c.CommandPath(), strings.Join(args, " ")))
			}
			return write[args[0]](c.Root(), a.streams.Out)
		},
	}
}
