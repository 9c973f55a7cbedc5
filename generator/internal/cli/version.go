package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/generator/internal/engine"
)

// release and commit are those of a released archive, whose build sets them. They are empty in
// other programs, which the go command tells their version.
var release, commit string

// about is what strata version prints in JSON.
type about struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Runtime is the constant of the runtime that generated code needs.
	Runtime string          `json:"runtime"`
	Formats []engine.Format `json:"formats"`
}

func (a *app) version() *cobra.Command {
	form := newFormat("text", json, yaml)
	c := &cobra.Command{
		Use:   "version",
		Short: "print the version of strata, and of what it writes",
		Long: "version prints the version and the commit of strata, the constant of the runtime that generated code\n" +
			"needs, and the formats of the files that strata writes and reads.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			is := aboutThis(info)
			if form.isDocument() {
				text, err := form.print(is)
				if err != nil {
					return err
				}
				return emit(a.streams.Out, text)
			}
			var out strings.Builder
			out.WriteString(is.line() + "\n")
			fmt.Fprintf(&out, "runtime: %s\n", is.Runtime)
			for _, f := range is.Formats {
				fmt.Fprintf(&out, "%s: %s\n", f.Name, f.Version)
			}
			return emit(a.streams.Out, out.String())
		},
	}
	form.add(c)
	return c
}

// isReleased reports whether modules of this program's version can be required: whether it is a
// released or packed version, and not that of a build in a checkout.
func isReleased() bool {
	info, _ := debug.ReadBuildInfo()
	return canBeRequired(aboutThis(info).Version)
}

func canBeRequired(version string) bool {
	return semver.IsValid(version) && semver.Build(version) == "" && !module.IsPseudoVersion(version)
}

// aboutThis returns what the build knows about this program.
func aboutThis(info *debug.BuildInfo) about {
	out := about{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Runtime: engine.RuntimeConstant(), Formats: engine.Formats()}
	if info != nil {
		if info.Main.Version != "" {
			out.Version = info.Main.Version
		}
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				out.Commit = setting.Value
			case "vcs.modified":
				out.Modified = setting.Value == "true"
			}
		}
	}
	if release != "" {
		out.Version, out.Commit, out.Modified = release, commit, false
	}
	return out
}

// line names version, commit, Go version and platform, as far as the build knows them.
func (is about) line() string {
	commit := ""
	if is.Commit != "" {
		commit = " " + is.Commit[:min(12, len(is.Commit))]
	}
	if is.Modified {
		commit += " (modified)"
	}
	return fmt.Sprintf("strata %s%s %s %s", is.Version, commit, is.Go, is.Platform)
}
