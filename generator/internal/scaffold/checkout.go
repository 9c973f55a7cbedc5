package scaffold

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Modules of Strata.
const (
	stratapath    = "github.com/stratakube/strata"
	RuntimeModule = stratapath + "/runtime"
)

// WorkFile lets the go command use the modules of a checkout.
const WorkFile = "go.work"

// CheckOut checks that a folder is a checkout of Strata.
func CheckOut(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "runtime", "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+RuntimeModule+"\n") {
		return diag.Errorf(diag.Pos{}, "%s is not a checkout of Strata", dir).WithHint("git clone https://%s makes one", stratapath)
	}
	return nil
}

// workspace returns go.work, which uses the modules of the checkout that the project needs. They
// also bring the versions and checksums of Kubernetes' modules that Strata is tested with.
func (c Choices) workspace() File {
	used := []string{"runtime", "operator/api", "webhook"}
	if c.Operator != "" {
		used = append(used, "operator", "operator/arm", "operator/plugin")
	}
	slices.Sort(used)
	var b strings.Builder
	b.WriteString("go 1.26.0\n\nuse (\n\t.\n")
	for _, module := range used {
		fmt.Fprintf(&b, "\t%s\n", workPath(path.Join(c.Checkout, module)))
	}
	b.WriteString(")\n\n// The modules require one another at a version that is published nowhere.\nreplace (\n")
	for _, module := range used {
		fmt.Fprintf(&b, "\t%s/%s v0.0.0 => %s\n", stratapath, module, workPath(path.Join(c.Checkout, module)))
	}
	b.WriteString(")\n")
	return File{WorkFile, []byte(b.String())}
}

// workPath returns a folder as go.work has it.
func workPath(folder string) string {
	if !path.IsAbs(folder) && !strings.HasPrefix(folder, "../") && !filepath.IsAbs(folder) {
		folder = "./" + folder
	}
	return plain(folder)
}
