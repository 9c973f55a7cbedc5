package doctor

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/gomodule"
	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Modules finds what is wrong with the module of a folder of generated code. The code imports the
// runtime of the given path, which must declare the constant. Nothing is downloaded.
func Modules(ctx context.Context, dir, runtime, constant string) ([]Finding, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root := gomodule.Root(absolute)
	name := gomodule.Name(root)
	if name == "" {
		return []Finding{{
			ID: "no-module", Severity: Warning, Subject: dir, Explanation: "no Go module contains the folder, so that its packages cannot be compiled",
			Hint: "run go mod init with the import path of the project, in the folder of strata.yaml",
		}}, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return []Finding{{ID: "not-checked", Severity: Note, Subject: "go.mod", Explanation: "the go command is not in PATH: the modules were not checked", Hint: "install Go"}}, nil
	}
	version, folder, found := locate(ctx, root, runtime)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	in := "cd " + quoted(relative(root)) + " && "
	switch {
	case runtime == name, strings.HasPrefix(runtime, name+"/"):
		return sums(ctx, root, absolute, in) // a package of the same module
	case !found:
		return []Finding{{
			ID: "runtime-missing", Severity: Error, Subject: "go.mod", Explanation: "the module does not require " + runtime + ", which generated code imports",
			Command: in + "go get " + runtime + " && go mod tidy",
		}}, nil
	case folder == "":
		return []Finding{{
			ID: "sum-missing", Severity: Error, Subject: "go.sum", Explanation: "the sums of " + runtime + " " + version + " are missing, or it is not downloaded", Command: in + "go mod tidy",
		}}, nil
	case !declares(filepath.Join(folder, "genruntime"), constant):
		return []Finding{{
			ID: "runtime-older", Severity: Error, Subject: "go.mod", Explanation: runtime + " " + version + " has no " + constant + ", which the code of this strata needs: it does not compile",
			Command: in + "go get " + runtime + "@latest && go mod tidy",
		}}, nil
	}
	return sums(ctx, root, absolute, in)
}

// locate asks the go command for the version and the folder of the runtime.
func locate(ctx context.Context, root, runtime string) (version, folder string, found bool) {
	out, err := goCommand(ctx, root, "list", "-m", "-f", "{{.Version}}\t{{.Dir}}", runtime).Print()
	if err != nil {
		return "", "", false
	}
	version, folder, _ = strings.Cut(strings.TrimRight(string(out), "\r\n"), "\t")
	if version == "" {
		version = "in " + folder
	}
	return version, folder, true
}

// goCommand returns a go command that changes no file, and downloads nothing.
func goCommand(ctx context.Context, dir string, args ...string) *subprocess.Command {
	c := subprocess.New(ctx, dir, "go", args...)
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly")
	return c
}

// sums finds packages whose modules go.mod or go.sum lack.
func sums(ctx context.Context, root, dir, in string) ([]Finding, error) {
	below, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	c := goCommand(ctx, root, "list", "-e", "-deps", "-f", "{{with .Error}}{{.Err}}{{end}}", "./"+filepath.ToSlash(below)+"/...")
	out, _ := c.Print() // what it cannot load is in its output
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for lines := bufio.NewScanner(bytes.NewReader(append(out, c.Errors.Bytes()...))); lines.Scan(); {
		for _, part := range []string{"missing go.sum entry", "no required module provides package", "updates to go.mod needed"} {
			if line := strings.TrimSpace(lines.Text()); strings.Contains(line, part) {
				return []Finding{{ID: "sum-missing", Severity: Error, Subject: "go.sum", Explanation: line, Command: in + "go mod tidy"}}, nil
			}
		}
	}
	return nil, nil
}

// declares reports whether a Go file of a folder names a constant.
func declares(folder, constant string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return false
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(constant+" ")) {
			return true
		}
	}
	return false
}

// relative returns a path from the working folder, where there is one.
func relative(folder string) string {
	if here, err := os.Getwd(); err == nil {
		if below, err := filepath.Rel(here, folder); err == nil {
			return below
		}
	}
	return folder
}

// quoted returns a word for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+=:@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
