package linkcache_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/linkcache"
)

// asTool is the environment variable that lets the program of these tests be the tool.
const asTool = "STRATA_TEST_LINKCACHE"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		os.Exit(linkcache.Tool(os.Args[1], os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// linker writes its arguments to the file of -o, which is its second argument, and counts its
// calls. It fails if its last argument says so.
const linker = `#!/bin/sh
echo call >> "$0.calls"
for last; do :; done
[ "$last" != fail ] || exit 3
echo "$@" > "$2"
`

// TestTool calls a linker of its own. A program is linked once for each action ID, unless C is part
// of it.
func TestTool(t *testing.T) {
	const plain, withC = "packagefile a=/a\n", "packagefile a=/a\npackagefile runtime/cgo=/c\n"
	type call struct{ tool, id, imports, last string }
	tests := []struct {
		reason string
		calls  []call
		linked int
		code   int // of the last call
		stored int
	}{
		{"the same ID", []call{{"link", "one", plain, "a"}, {"link", "one", plain, "a"}}, 1, 0, 1},
		{"another ID", []call{{"link", "one", plain, "a"}, {"link", "two", plain, "a"}}, 2, 0, 2},
		{"with C", []call{{"link", "one", withC, "a"}, {"link", "one", withC, "a"}}, 2, 0, 0},
		{"without an ID", []call{{"link", "", plain, "a"}, {"link", "", plain, "a"}}, 2, 0, 0},
		{"a linker that fails", []call{{"link", "one", plain, "fail"}, {"link", "one", plain, "fail"}}, 2, 3, 0},
		{"another tool", []call{{"compile", "one", plain, "a"}, {"compile", "one", plain, "a"}}, 2, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir, bin := filepath.Join(t.TempDir(), "stored"), t.TempDir()
			code, made := 0, ""
			for i, c := range test.calls {
				tool, imports, out := filepath.Join(bin, c.tool), filepath.Join(bin, "importcfg"), filepath.Join(bin, fmt.Sprint("out", i))
				put(t, tool, linker)
				put(t, imports, c.imports)
				args := []string{"-o", out, "-importcfg", imports}
				if c.id != "" {
					args = append(args, "-buildid="+c.id)
				}
				code = linkcache.Tool(dir, tool, append(args, c.last))
				if made = read(t, out); code == 0 && made == "" {
					t.Errorf("call %d made no program", i)
				}
			}
			calls := strings.Count(read(t, filepath.Join(bin, test.calls[0].tool+".calls")), "call")
			if stored := len(files(t, dir)); calls != test.linked || code != test.code || stored != test.stored {
				t.Errorf("linked %d times with exit code %d, stored %d; want %d, %d, %d", calls, code, stored, test.linked, test.code, test.stored)
			}
		})
	}
}

// TestDamagedProgram links again where a stored program has lost its end, or a byte differs.
func TestDamagedProgram(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"a byte differs": func(s string) string { return "x" + s[1:] },
		"without an end": func(s string) string { return s[:len(s)-1] },
		"empty":          func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			bin, dir := t.TempDir(), t.TempDir()
			tool, imports, out := filepath.Join(bin, "link"), filepath.Join(bin, "importcfg"), filepath.Join(bin, "out")
			put(t, tool, linker)
			put(t, imports, "packagefile a=/a\n")
			for range 2 {
				if code := linkcache.Tool(dir, tool, []string{"-o", out, "-importcfg", imports, "-buildid=one", "a"}); code != 0 || !strings.HasPrefix(read(t, out), "-o ") {
					t.Errorf("exit code %d, linked %q", code, read(t, out))
				}
				for _, file := range files(t, dir) {
					put(t, filepath.Join(dir, file), damage(read(t, filepath.Join(dir, file))))
				}
			}
			if calls := strings.Count(read(t, tool+".calls"), "call"); calls != 2 {
				t.Errorf("linked %d times", calls)
			}
		})
	}
}

// TestFolderThatCannotBeWritten links where nothing can be stored.
func TestFolderThatCannotBeWritten(t *testing.T) {
	bin := t.TempDir()
	tool, imports, out := filepath.Join(bin, "link"), filepath.Join(bin, "importcfg"), filepath.Join(bin, "out")
	put(t, tool, linker)
	put(t, imports, "packagefile a=/a\n")
	code := linkcache.Tool(filepath.Join(imports, "below"), tool, []string{"-o", out, "-importcfg", imports, "-buildid=one", "a"})
	if code != 0 || read(t, out) == "" {
		t.Errorf("exit code %d, linked %q", code, read(t, out))
	}
}

// TestGo runs real tests. The go command takes a stored program only for the same code.
func TestGo(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, dir := t.TempDir(), t.TempDir()
	put(t, filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.26.0\n")
	put(t, filepath.Join(root, "m_test.go"), "package m\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/value\"\n)\n\nfunc TestValue(t *testing.T) { t.Log(value.V) }\n")
	for _, step := range []struct {
		value  string
		stored int
	}{{"first", 1}, {"first", 1}, {"second", 2}, {"first", 2}} {
		put(t, filepath.Join(root, "value", "value.go"), fmt.Sprintf("package value\n\nconst V = %q\n", step.value))
		c := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-v", fmt.Sprintf("-toolexec='%s' '%s'", self, dir), ".")
		c.Dir, c.Env = root, append(os.Environ(), asTool+"=1", "GOWORK=off", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.value) {
			t.Fatalf("with %s: %v\n%s", step.value, err, out)
		}
		if stored := files(t, dir); len(stored) != step.stored {
			t.Errorf("with %s, %d programs are stored: %q", step.value, len(stored), stored)
		}
	}
}

// TestTrim removes the programs that were used least recently, and old ones, but none that another
// process writes.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		"new": 0, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
		"x.part-1": time.Minute, "y.part-2": 2 * time.Hour,
	} {
		file := filepath.Join(dir, name)
		put(t, file, strings.Repeat("x", 100))
		if at := time.Now().Add(-age); os.Chtimes(file, at, at) != nil {
			t.Fatal("the time of a file cannot be set")
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		most int64
		want string
	}{{1000, "bin day hour new x.part-1"}, {250, "bin hour new x.part-1"}, {0, "bin x.part-1"}} {
		if err := linkcache.Trim(dir, test.most); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(files(t, dir), " "); got != test.want {
			t.Errorf("with at most %d bytes, %q are left, want %q", test.most, got, test.want)
		}
	}
	if err := linkcache.Trim(filepath.Join(dir, "none"), 0); err != nil {
		t.Errorf("without a folder: %v", err)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// read returns a file, or nothing where there is none.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// files returns the names in a folder, or none where there is no folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
