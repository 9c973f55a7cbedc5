package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Variable names the environment variable that holds the folder of the real schemas.
const Variable = "STRATA_CORPORA"

// ErrNone is that there are no real schemas.
var ErrNone = errors.New("no real schemas")

// Corpora is the folder of the real schemas and of known facts about them.
type Corpora struct{ dir string }

// Find returns the corpora that the environment names, or else those beside the workspace at root,
// in ../shared/corpora. The error is ErrNone if it names none and there are none.
func Find(root string) (Corpora, error) {
	dir := os.Getenv(Variable)
	named := dir != ""
	if !named {
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Corpora{}, fmt.Errorf("find corpora: %w", err)
	}
	c := Corpora{dir}
	if _, err := os.Stat(c.Schemas()); err == nil {
		return c, nil
	} else if named || !errors.Is(err, os.ErrNotExist) {
		return c, fmt.Errorf("find corpora that %s names: %w", Variable, err)
	}
	return c, fmt.Errorf("%w: %s is not set, and there is no %s", ErrNone, Variable, c.Schemas())
}

// Schemas is the folder of the ARM schemas.
func (c Corpora) Schemas() string { return filepath.Join(c.dir, "arm", "schemas") }

// Definitions is the folder of the definitions of custom resources, with a folder for each vendor.
func (c Corpora) Definitions() string { return filepath.Join(c.dir, "crds") }

// EarlierReleases is the folder of older CRDs of vendors, with a folder for each release.
func (c Corpora) EarlierReleases() string { return filepath.Join(c.dir, "crds-releases") }

// Types is the folder of the Bicep types.
func (c Corpora) Types() string { return filepath.Join(c.dir, "bicep") }

// Network is the folder of Bicep types that refer to each other in many circles.
func (c Corpora) Network() string { return filepath.Join(c.dir, "bicep-network") }

// TypeFiles are the files of Bicep types that declare each resource version, below [Corpora.Types].
func (c Corpora) TypeFiles() (map[ID][]string, error) {
	rows, err := readTable(filepath.Join(c.Types(), "manifest.tsv"))
	if err != nil {
		return nil, err
	}
	files := map[ID][]string{}
	for _, row := range rows {
		id := NewID(row["resource_type"], row["version"])
		files[id] = append(files[id], row["file"])
	}
	return files, nil
}

// ID identifies a resource version. The letter case of its type does not matter.
type ID struct{ Type, Version string }

// NewID returns the name of a resource version.
func NewID(resourceType, version string) ID {
	return ID{strings.ToLower(resourceType), strings.ToLower(version)}
}

func (id ID) String() string { return id.Type + " " + id.Version }

// Properties returns the number of properties of each resource version, by an independent count
// without branches of unions. If several files or scopes declare a resource, the largest number
// counts.
func (c Corpora) Properties() (map[ID]int, error) {
	rows, err := readTable(filepath.Join(c.dir, "arm", "manifest.tsv"))
	if err != nil {
		return nil, err
	}
	counts := map[ID]int{}
	for _, row := range rows {
		n, err := strconv.Atoi(row["properties"])
		if err != nil {
			return nil, fmt.Errorf("read properties of %s: %w", row["resource_type"], err)
		}
		id := NewID(row["resource_type"], row["version"])
		counts[id] = max(counts[id], n)
	}
	return counts, nil
}

// Observation records whether a resource version has a property.
type Observation struct {
	ID
	Path  string // below the body of the resource, as in properties.phones[].number
	There bool
}

// Observations lists the paths of properties that change their name, kind or shape, or that some
// versions lack, as the table of the corpora has them. A property that one branch of a union lacks
// may be in another.
func (c Corpora) Observations() ([]Observation, error) {
	rows, err := readTable(filepath.Join(c.dir, "arm", "phenomena.tsv"))
	if err != nil {
		return nil, err
	}
	var all []Observation
	for _, row := range rows {
		path := row["property_path"]
		if path == "" {
			continue
		}
		see := func(version, path string, there bool) {
			inBranch := branch.MatchString(path)
			if version != "" && (there || !inBranch) {
				all = append(all, Observation{NewID(row["resource_type"], version), branch.ReplaceAllString(path, ""), there})
			}
		}
		see(row["last_version_with_old"], path, true)
		see(row["first_absent"], path, false)
		if renamed, ok := strings.CutPrefix(row["detail"], "-> "); ok {
			path, _, _ = strings.Cut(renamed, " score=")
		}
		see(row["version_with_new"], path, true)
	}
	return all, nil
}

// branch matches the name of a union's branch in a path.
var branch = regexp.MustCompile(`<[^>]*>`)

// readTable reads rows of columns that tabs separate, by the names in the first line.
func readTable(file string) ([]map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	names := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			if i < len(names) {
				row[names[i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
