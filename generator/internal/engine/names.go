package engine

import (
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/output"
)

// Name identifies a kind that the last run generated: the folder of its group, its kind, and the
// type of the resource in its source.
type Name struct{ Folder, Kind, Type string }

// Names lists the kinds that the last run generated, as its manifest has them. It reads no
// schemas, and takes no longer than a completion may.
func (Engine) Names(file string) ([]Name, error) {
	c, err := config.Read(file, nil)
	if err != nil {
		return nil, err
	}
	manifest, err := output.ReadManifest(c.Output.Dir, nil)
	if err != nil || manifest == nil {
		return nil, err
	}
	var out []Name
	for _, r := range manifest.Resources {
		out = append(out, Name{folderOf(c, r), r.Kind, r.Source.Type})
	}
	return out, nil
}

// folderOf returns the folder of a resource's group. Packages of authors are elsewhere.
func folderOf(c *config.Config, r output.Resource) string {
	if pkg, isGenerated := strings.CutPrefix(r.Package, c.Output.Module+"/"); isGenerated {
		return path.Dir(pkg)
	}
	return foldersOf(c).Of(r.Group)
}
