package binaries

import (
	"context"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// helm is the package of Helm's program.
const helm = "helm.sh/helm/v4/cmd/helm"

// BuildHelm writes the program of Helm to a file. It links the program anew only if its sources
// have changed. The current folder is in the workspace.
func BuildHelm(ctx context.Context, file string) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	in := command.In{Dir: filepath.Join(w.Root, "tools", "testcluster", "binaries", "helm"), Env: []string{"GOWORK=off", "CGO_ENABLED=0"}}
	return programs.Build(ctx, in, file, helm, "-trimpath", "-buildvcs=false")
}
