package scaffold

import (
	"fmt"
	"go/version"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// CheckOut checks that the chosen folder is a checkout of Strata. dir is the project's folder.
func (c Choices) CheckOut(dir string, found *Found) (Choices, error) {
	if c.Checkout == "" {
		return c, nil
	}
	checkout := filepath.FromSlash(c.Checkout)
	if !filepath.IsAbs(checkout) {
		checkout = filepath.Join(dir, checkout)
	}
	text, err := os.ReadFile(filepath.Join(checkout, "runtime", "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+RuntimeModule+"\n") {
		return c, diag.Errorf(diag.Pos{}, "%s is not a checkout of Strata", checkout).WithHint("git clone https://%s makes one", stratapath)
	}
	c.goVersion = laterGo(goOf(text), found.goVersion)
	return c, nil
}

var goLine = regexp.MustCompile(`(?m)^go[ \t]+([0-9][0-9a-z.]*)[ \t]*(//.*)?$`)

// goOf returns the version of Go that a go.mod requires; empty if it states none.
func goOf(mod []byte) string {
	if m := goLine.FindSubmatch(mod); m != nil {
		return string(m[1])
	}
	return ""
}

// laterGo returns the later of two versions of Go. A workspace must not state an earlier one than
// its modules.
func laterGo(a, b string) string {
	if version.Compare("go"+a, "go"+b) < 0 {
		return b
	}
	return a
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
	fmt.Fprintf(&b, "go %s\n\nuse (\n\t.\n", c.goVersion)
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
