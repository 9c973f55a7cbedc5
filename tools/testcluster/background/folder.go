package background

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Folder is the folder of one cluster in the background.
type Folder struct{ dir string }

// Home returns the folder of this user's cluster. It is the same for all checkouts.
func Home() (Folder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Folder{}, fmt.Errorf("find cache folder: %w", err)
	}
	return At(filepath.Join(cache, "strata", "cluster")), nil
}

// At is the place in a folder, which need not be there.
func At(dir string) Folder { return Folder{dir} }

// Logs returns the folder with the output of the supervisor and its servers.
func (p Folder) Logs() string { return p.dir }

func (p Folder) log() string { return p.file("supervisor.log") }

func (p Folder) file(name string) string { return filepath.Join(p.dir, name) }

const (
	lockFile       = "lock"
	stateFile      = "state.json"
	kubeconfigFile = "kubeconfig"
	commandFile    = "strata-supervisor"
)

// State describes a cluster in the background.
type State struct {
	Supervisor process.Process   `json:"supervisor"`
	Servers    []process.Process `json:"servers"` // empty until the cluster is ready
	Kubectl    kubectl.Client    `json:"kubectl"` // as the administrator
	Host       string            `json:"host"`
}

// IsReady reports whether the cluster has been started.
func (s State) IsReady() bool { return len(s.Servers) > 0 }

// ErrNone reports that no cluster runs.
var ErrNone = errors.New("no cluster runs: start one with `go tool mage cluster:up`")

// State returns the state of the cluster that runs, or starts. The error is ErrNone where there is
// none.
func (p Folder) State() (State, error) {
	isTaken, err := filelock.IsTaken(p.file(lockFile))
	if err != nil {
		return State{}, err
	}
	if !isTaken {
		return State{}, ErrNone
	}
	return p.read()
}

// read reads the state, also one that a supervisor has left behind.
func (p Folder) read() (State, error) {
	var s State
	text, err := os.ReadFile(p.file(stateFile))
	if err != nil {
		return s, fmt.Errorf("read state of cluster: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read state of cluster: %s: %w", p.file(stateFile), err)
	}
	return s, nil
}

// write writes the state in one step.
func (p Folder) write(s State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write state of cluster: %w", err)
	}
	stage := p.file(stateFile + ".new")
	if err := os.WriteFile(stage, text, 0o600); err != nil {
		return fmt.Errorf("write state of cluster: %w", err)
	}
	if err := os.Rename(stage, p.file(stateFile)); err != nil {
		return fmt.Errorf("write state of cluster: %w", err)
	}
	return nil
}

// clear removes the files of a cluster that has ended, but not its logs.
func (p Folder) clear() error {
	var errs []error
	for _, name := range []string{stateFile, kubeconfigFile} {
		if err := os.Remove(p.file(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
