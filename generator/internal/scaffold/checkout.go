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

	"golang.org/x/mod/modfile"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/gomodule"
)

// Modules of Strata.
const (
	stratapath    = "github.com/stratakube/strata"
	RuntimeModule = stratapath + "/runtime"
	webhookModule = stratapath + "/webhook"
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
	c.required = requiredIn(checkout)
	return c.inWorkspace(dir)
}

// unpublished is the version at which modules of a checkout require one another before their first
// release.
const unpublished = "v0.0.0"

// requiredIn returns the versions at which modules of a checkout require one another, by their
// paths. The go.work of the checkout replaces these versions.
func requiredIn(checkout string) map[string]string {
	name := filepath.Join(checkout, WorkFile)
	work, err := modfile.ParseWork(name, gomodule.Read(name), nil)
	if err != nil {
		return nil
	}
	required := map[string]string{}
	for _, r := range work.Replace {
		if r.Old.Version != "" {
			required[r.Old.Path] = r.Old.Version
		}
	}
	return required
}

// requiredAt returns the version at which modules of the checkout require one of them.
func (c Choices) requiredAt(path string) string {
	if version := c.required[path]; version != "" {
		return version
	}
	return unpublished
}

// inWorkspace reads the workspace of a folder. If one above it uses the folder, a go.work in the
// folder would hide the rest of it.
func (c Choices) inWorkspace(dir string) (Choices, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return c, err
	}
	name := gomodule.Workspace(at)
	if name == "" {
		return c, nil
	}
	body := gomodule.Read(name)
	work, err := modfile.ParseWork(name, body, nil)
	if filepath.Dir(name) == at {
		if err != nil {
			return c, diag.Errorf(diag.InFile(name), "the workspace cannot be read: %v", err).WithHint("go work edit -print shows the same error")
		}
		c.work = body
		return c, nil
	}
	usesProject := err == nil && slices.ContainsFunc(work.Use, func(u *modfile.Use) bool {
		used := filepath.Join(filepath.Dir(name), filepath.FromSlash(u.Path))
		return used == at || strings.HasPrefix(at, used+string(filepath.Separator))
	})
	if !usesProject {
		return c, nil
	}
	var folders, replaces strings.Builder
	for _, module := range c.used() {
		folder := filepath.FromSlash(path.Join(c.Checkout, module))
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(at, folder)
		}
		folders.WriteString(" " + ShellWord(folder))
		replaces.WriteString(" -replace=" + ShellWord(stratapath+"/"+module+"@"+c.requiredAt(stratapath+"/"+module)+"="+folder))
	}
	return c, diag.Errorf(diag.InFile(name), "the folder is in this workspace, which a go.work of its own would hide").
		WithHint("leave --checkout out, and run in %s: go work use%s && go work edit%s", filepath.Dir(name), folders.String(), replaces.String())
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
// What the user's go.work has stays.
func (c Choices) workspace() File {
	if c.work != nil {
		return File{WorkFile, c.extended()}
	}
	used := c.used()
	var b strings.Builder
	fmt.Fprintf(&b, "go %s\n\nuse (\n\t.\n", c.goVersion)
	for _, module := range used {
		fmt.Fprintf(&b, "\t%s\n", workPath(path.Join(c.Checkout, module)))
	}
	b.WriteString(")\n\n// The modules require one another at these versions.\nreplace (\n")
	for _, module := range used {
		name := stratapath + "/" + module
		fmt.Fprintf(&b, "\t%s %s => %s\n", name, c.requiredAt(name), workPath(path.Join(c.Checkout, module)))
	}
	b.WriteString(")\n")
	return File{WorkFile, []byte(b.String())}
}

// used returns the modules of the checkout that the project needs, sorted.
func (c Choices) used() []string {
	used := []string{"runtime", "operator/api", "webhook"}
	if c.Operator != "" {
		used = append(used, "operator", "operator/arm", "operator/plugin")
	}
	slices.Sort(used)
	return used
}

// extended returns the user's go.work with the modules of the checkout. It is the same text if it
// has all of them.
func (c Choices) extended() []byte {
	work, err := modfile.ParseWork(WorkFile, c.work, nil)
	if err != nil {
		return c.work // CheckOut has parsed it
	}
	isChanged := false
	note := func(err error) { isChanged = isChanged || err == nil }
	if work.Go == nil || laterGo(c.goVersion, work.Go.Version) != work.Go.Version {
		note(work.AddGoStmt(c.goVersion))
	}
	add := func(folder string) {
		if !slices.ContainsFunc(work.Use, func(u *modfile.Use) bool { return path.Clean(u.Path) == path.Clean(folder) }) {
			note(work.AddUse(folder, ""))
		}
	}
	add(".")
	for _, module := range c.used() {
		folder, name := c.module(module), stratapath+"/"+module
		add(folder)
		if !slices.ContainsFunc(work.Replace, func(r *modfile.Replace) bool {
			return r.Old.Path == name && (r.Old.Version == "" || r.Old.Version == c.requiredAt(name)) && path.Clean(r.New.Path) == path.Clean(folder)
		}) {
			note(work.AddReplace(name, c.requiredAt(name), folder, ""))
		}
	}
	if !isChanged {
		return c.work
	}
	work.Cleanup()
	return modfile.Format(work.Syntax)
}

// module returns the folder of a module of the checkout, as go.work has it.
func (c Choices) module(name string) string { return dotted(path.Join(c.Checkout, name)) }

// dotted returns a folder in the form that the go command requires.
func dotted(folder string) string {
	if !path.IsAbs(folder) && !strings.HasPrefix(folder, "../") && !filepath.IsAbs(folder) {
		return "./" + folder
	}
	return folder
}

// workPath returns a folder as go.work has it.
func workPath(folder string) string {
	return plain(dotted(folder))
}
