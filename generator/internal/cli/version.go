package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version of strata",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			return emit(a.streams.Out, versionLine(info))
		},
	}
}

// isReleased reports whether this program is of a released version, whose modules can be required.
func isReleased() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && strings.HasPrefix(info.Main.Version, "v") && !strings.HasPrefix(info.Main.Version, "v0.0.0-")
}

// versionLine names version, commit, Go version and platform, as far as the
// build knows them.
func versionLine(info *debug.BuildInfo) string {
	version, commit := "(devel)", ""
	if info != nil {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = " " + setting.Value[:min(12, len(setting.Value))] + commit
			case setting.Key == "vcs.modified" && setting.Value == "true":
				commit += " (modified)"
			}
		}
	}
	return fmt.Sprintf("strata %s%s %s %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
