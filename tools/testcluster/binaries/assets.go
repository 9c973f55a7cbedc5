package binaries

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stratakube/strata/tools/build/modules"
)

// Variable names the environment variable that holds a folder of programs to use.
const Variable = "KUBEBUILDER_ASSETS"

// Program is one of the programs.
type Program struct {
	name string // of the file, as everybody calls it
	path string // of the package that is built
}

// The programs. Only the first three are needed to have a server and to talk to it.
var (
	Etcd              = Program{"etcd", "go.etcd.io/etcd/server/v3"}
	APIServer         = Program{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"}
	Kubectl           = Program{"kubectl", "k8s.io/kubernetes/cmd/kubectl"}
	ControllerManager = Program{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"}
)

// Server are the programs that make a server.
var Server = []Program{Etcd, APIServer, Kubectl}

// Folder holds programs that can be run.
type Folder string

// Path is the file of a program.
func (f Folder) Path(p Program) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(string(f), p.name+".exe")
	}
	return filepath.Join(string(f), p.name)
}

// lacking are the programs that the folder does not hold.
func (f Folder) lacking(programs []Program) []Program {
	var missing []Program
	for _, p := range programs {
		if info, err := os.Stat(f.Path(p)); err != nil || !info.Mode().IsRegular() {
			missing = append(missing, p)
		}
	}
	return missing
}

// Build returns a folder that holds the programs, after building those that were not built before.
// It calls report with lines on what takes long. The current folder is in the workspace, or
// Variable is set.
func Build(ctx context.Context, report func(string), programs ...Program) (Folder, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return given(dir, programs)
	}
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	r, err := read(ctx, filepath.Join(w.Root, "tools", "testcluster", "binaries", "kubernetes"))
	if err != nil {
		return "", err
	}
	return store{filepath.Join(cache, "strata", "assets"), report}.build(ctx, r, programs)
}

func given(dir string, programs []Program) (Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", Variable, err)
	}
	if missing := Folder(dir).lacking(programs); len(missing) > 0 {
		return "", fmt.Errorf("%s names %s, which does not hold %s", Variable, dir, names(missing))
	}
	return Folder(dir), nil
}

func names(programs []Program) string {
	var all []string
	for _, p := range programs {
		all = append(all, p.name)
	}
	return strings.Join(all, ", ")
}
