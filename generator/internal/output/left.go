package output

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// token distinguishes the hidden files of this process from those of others. Numbers of processes
// do not: containers that share a volume have the same ones.
var token = strings.ToLower(rand.Text())

// tokens matches what token may be.
const tokens = "[a-z2-7]{26}"

// stageName begins the names of stages, hidden folders in which files lie until they are whole.
const stageName = ".strata-"

// hidden is the name that a file has until it is whole, where a stage cannot contain it.
func hidden(name string) string { return "." + name + stageName + token }

// abandoned is the age from which on a hidden file or folder is taken for one of a process that was
// killed. A run that was suspended for so long ends with an error.
const abandoned = time.Hour

var (
	stageNames  = regexp.MustCompile(`^\.strata-` + tokens + `$`)
	besideNames = regexp.MustCompile(`^\.` + regexp.QuoteMeta(BesideFile) + `\.strata-` + tokens + `$`)
)

// leftovers are the hidden names in a folder that processes which were killed have left behind.
func leftovers(folder *os.Root, isLeft func(folder *os.Root, info fs.FileInfo) bool) ([]string, error) {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			continue // no file of ours, so that its state need not be read
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) >= abandoned && isLeft(folder, info) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// isStage reports whether a folder is a stage.
func isStage(_ *os.Root, info fs.FileInfo) bool {
	return info.IsDir() && stageNames.MatchString(info.Name())
}

// isHiddenBeside reports whether a file is one that was to lie beside the output folder. Its
// content must be ours, as far as it has been written: the folder is the author's.
func isHiddenBeside(folder *os.Root, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || !besideNames.MatchString(info.Name()) {
		return false
	}
	file, err := folder.Open(info.Name())
	if err != nil {
		return false
	}
	defer file.Close()
	start, err := io.ReadAll(io.LimitReader(file, int64(len(Header))))
	return err == nil && bytes.HasPrefix([]byte(Header), start)
}

// sweep removes what processes which were killed have left behind in the folders beside the output
// folder that have files of ours.
func (c *Changes) sweep() error {
	return eachLeft(c.Dir, c.Outputs, func(folder *os.Root, name string) error {
		if err := folder.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// errLeft says that something was left behind.
var errLeft = errors.New("a run was killed")

// sweepStages removes the stages that killed processes have left behind in an output folder.
func sweepStages(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.Join(removeStages(root), root.Close())
	}
	if err != nil {
		return fmt.Errorf("remove what a run that was killed has left behind: %w", err)
	}
	return nil
}

// hasLeft reports whether [Changes.Apply] would remove something that a killed process left behind.
func hasLeft(dir string, outputs []FileSum) bool {
	if root, err := os.OpenRoot(dir); err == nil {
		defer root.Close()
		if stages, err := leftovers(root, isStage); err == nil && len(stages) > 0 {
			return true
		}
	}
	return eachLeft(dir, outputs, func(*os.Root, string) error { return errLeft }) != nil
}

// eachLeft does something with all that was left behind in the folders beside the output folder.
func eachLeft(dir string, outputs []FileSum, do func(folder *os.Root, name string) error) error {
	var folders []string
	for _, f := range outputs {
		if isBeside(f.Path) {
			folders = append(folders, path.Dir(f.Path))
		}
	}
	slices.Sort(folders)
	for _, name := range slices.Compact(folders) {
		if err := leftIn(onDisk(dir, name), do); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func leftIn(dir string, do func(folder *os.Root, name string) error) error {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	names, err := leftovers(folder, isHiddenBeside)
	for _, name := range names {
		err = errors.Join(err, do(folder, name))
	}
	return err
}
