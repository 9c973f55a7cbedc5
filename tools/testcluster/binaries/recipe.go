package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// recipe is how programs are built. Two recipes with one key give the same programs.
type recipe struct {
	module  string // the folder of go.mod
	version string // of Kubernetes, as the programs tell it
	flags   []string
	key     string
}

// environ prevents that workspaces, C compilers or the user's flags affect the build.
var environ = []string{"GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly"}

func read(ctx context.Context, module string) (recipe, error) {
	r := recipe{module: module}
	mod, err := modules.ReadMod(module)
	if err != nil {
		return r, err
	}
	if r.version, err = kubernetes(mod); err != nil {
		return r, err
	}
	r.flags = []string{"-trimpath", "-buildvcs=false", "-ldflags=" + linking(r.version)}
	env, err := command.In{Dir: module, Env: environ}.Output(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "GOEXPERIMENT")
	if err != nil {
		return r, err
	}
	r.key, err = key(module, slices.Concat(strings.Fields(env), environ, r.flags))
	return r, err
}

// kubernetes is the version of Kubernetes that a module requires.
func kubernetes(mod *modfile.File) (string, error) {
	for _, required := range mod.Require {
		if required.Mod.Path == "k8s.io/kubernetes" {
			return required.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require k8s.io/kubernetes", mod.Syntax.Name)
}

// linking returns the linker flags of a Kubernetes release. The programs enable features by their
// version.
func linking(version string) string {
	words := []string{"-s", "-w"}
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	for _, set := range [][2]string{{"gitVersion", version}, {"gitMajor", major}, {"gitMinor", minor}, {"gitTreeState", "clean"}} {
		words = append(words, "-X", "k8s.io/component-base/version."+set[0]+"="+set[1])
	}
	return strings.Join(words, " ")
}

// key returns a name for the inputs of the programs: the files that pin the module, and the build
// flags.
func key(module string, how []string) (string, error) {
	digest := sha256.New()
	for _, word := range how {
		fmt.Fprintf(digest, "%q\n", word)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return "", fmt.Errorf("read pins: %w", err)
		}
		fmt.Fprintf(digest, "%s %x\n", name, sha256.Sum256(text))
	}
	return hex.EncodeToString(digest.Sum(nil)[:8]), nil
}
