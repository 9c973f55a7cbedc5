package site

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/command"
)

// explorer is the folder of the pages of the worked example in the site of a version.
const explorer = "explorer"

// example writes pages that show the history of the worked example of a version, by the command
// strata of the checkout with the folder tools. It returns false if the version has none: a release
// is extracted without its schemas.
func example(ctx context.Context, tools, out string, v Version) (bool, error) {
	config := filepath.Join(v.Root, "schemas", "crm", "strata.yaml")
	if _, err := os.Stat(config); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	in := command.In{Dir: filepath.Join(tools, "..", "..", "..")}
	_, err := in.Output(ctx, "go", "run", "./generator/cmd/strata", "explorer", "--quiet", "--convert", "--config", config, "-o", out)
	return err == nil, errors.Join(err, os.RemoveAll(filepath.Join(out, "manifest.json")))
}
