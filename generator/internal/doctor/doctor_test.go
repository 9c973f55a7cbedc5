package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/config"
)

const constant = "GeneratedCodeNeedsStrataRuntime7"

// project writes the files of a module, and makes its folder the working folder.
func project(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		write(t, name, text)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mend runs the command of a finding as a user pastes it.
func mend(t *testing.T, f Finding) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", f.Command)
	c.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", f.Command, err, out)
	}
}

// only returns the one finding, which must have an identifier.
func only(t *testing.T, all []Finding, err error, id string) Finding {
	t.Helper()
	if err != nil || len(all) != 1 || all[0].ID != id {
		t.Fatalf("findings %+v, error %v; want one with the identifier %s", all, err, id)
	}
	return all[0]
}

func none(t *testing.T, all []Finding, err error) {
	t.Helper()
	if err != nil || len(all) != 0 {
		t.Fatalf("findings %+v, error %v; want none", all, err)
	}
}

// module returns a module with generated code, and two releases of the runtime beside it.
func module(goMod string) map[string]string {
	return map[string]string{
		"go.mod":                        "module example.com/demo\n\ngo 1.26.0\n" + goMod,
		"api/v1/types.go":               "package v1\n\nimport \"" + config.DefaultRuntime + "/genruntime\"\n\nconst _ = genruntime." + constant + "\n",
		"old/go.mod":                    "module " + config.DefaultRuntime + "\n\ngo 1.26.0\n",
		"old/genruntime/genruntime.go":  "package genruntime\n",
		"next/go.mod":                   "module " + config.DefaultRuntime + "\n\ngo 1.26.0\n",
		"next/genruntime/genruntime.go": "package genruntime\n\nconst " + constant + " = true\n",
	}
}

const (
	replaced = "\nreplace " + config.DefaultRuntime + " => ./"
	required = "\nrequire " + config.DefaultRuntime + " v0.0.0\n"
)

func TestModules(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Run("without the runtime", func(t *testing.T) {
		project(t, module(replaced+"next\n"))
		found, err := Modules(t.Context(), "api", config.DefaultRuntime, constant)
		mend(t, only(t, found, err, "runtime-missing"))
		found, err = Modules(t.Context(), "api", config.DefaultRuntime, constant)
		none(t, found, err)
	})
	t.Run("without a runtime of another path", func(t *testing.T) {
		const other = "example.com/fork/runtime"
		project(t, module(replaced+"next\n"+required))
		found, err := Modules(t.Context(), "api", other, constant)
		if f := only(t, found, err, "runtime-missing"); !strings.Contains(f.Command, "go get "+other+" ") {
			t.Errorf("command %q", f.Command)
		}
	})
	t.Run("with a runtime of its own", func(t *testing.T) {
		project(t, map[string]string{"go.mod": "module example.com/demo\n\ngo 1.26.0\n", "api/v1/types.go": "package v1\n"})
		found, err := Modules(t.Context(), "api", "example.com/demo/runtime", constant)
		none(t, found, err)
	})
	t.Run("with an older runtime", func(t *testing.T) {
		project(t, module(replaced+"old\n"+required))
		found, err := Modules(t.Context(), "api", config.DefaultRuntime, constant)
		f := only(t, found, err, "runtime-older")
		if !strings.HasPrefix(f.Command, "cd . && go get "+config.DefaultRuntime+"@latest") {
			t.Errorf("command %q", f.Command)
		}
		write(t, "go.mod", module(replaced + "next\n" + required)["go.mod"]) // as the download of a release does
		found, err = Modules(t.Context(), "api", config.DefaultRuntime, constant)
		none(t, found, err)
	})
	t.Run("without sums", func(t *testing.T) {
		files := module(replaced + "next\n" + required + "\nrequire github.com/google/go-cmp v0.7.0\n")
		files["api/v1/more.go"] = "package v1\n\nimport _ \"github.com/google/go-cmp/cmp\"\n"
		project(t, files)
		found, err := Modules(t.Context(), "api", config.DefaultRuntime, constant)
		mend(t, only(t, found, err, "sum-missing"))
		found, err = Modules(t.Context(), "api", config.DefaultRuntime, constant)
		none(t, found, err)
	})
	t.Run("without a module", func(t *testing.T) {
		project(t, map[string]string{"api/v1/types.go": "package v1\n"})
		found, err := Modules(t.Context(), "api", config.DefaultRuntime, constant)
		if f := only(t, found, err, "no-module"); f.Hint == "" {
			t.Error("there is no hint")
		}
	})
	t.Run("without the go command", func(t *testing.T) {
		project(t, module(replaced+"next\n"+required))
		t.Setenv("PATH", t.TempDir())
		found, err := Modules(t.Context(), "api", config.DefaultRuntime, constant)
		if f := only(t, found, err, "not-checked"); Counts(found) || f.Severity != Note {
			t.Errorf("finding %+v", f)
		}
	})
}

func TestRepository(t *testing.T) {
	check := func() ([]Finding, error) {
		return Repository(t.Context(), "strata.yaml", filepath.Join("api", "ledger"), filepath.Join("api", "manifest.json"))
	}
	project(t, map[string]string{"strata.yaml": "a\n", "api/ledger/shop/order.txt": "b\n", "api/manifest.json": "{}\n", ".gitignore": "ledger/\n"})
	found, err := check()
	none(t, found, err) // no repository
	mend(t, Finding{Command: "git init -q ."})
	found, err = check()
	mend(t, only(t, found, err, "ignored"))
	found, err = check()
	none(t, found, err)
	write(t, filepath.Join("api", "ledger", "shop", "order.txt"), "c\n")
	found, err = check()
	f := only(t, found, err, "not-committed")
	if f.Subject != "api/ledger/shop/order.txt" {
		t.Errorf("finding %+v", f)
	}
	mend(t, f)
	found, err = check()
	none(t, found, err)
}

func TestSort(t *testing.T) {
	all := []Finding{{ID: "a", Severity: Note}, {ID: "b", Severity: Error}, {ID: "c", Severity: Warning}, {ID: "d", Severity: Error}}
	Sort(all)
	got := ""
	for _, f := range all {
		got += f.ID
	}
	if got != "bdca" {
		t.Errorf("order %s", got)
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"a/b.yaml": "a/b.yaml", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$(x)": "'$(x)'"} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}
