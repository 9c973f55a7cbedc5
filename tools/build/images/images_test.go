package images

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// TestFind requires that Find finds the webhook of this workspace.
func TestFind(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	found, err := Find(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 || found[0].ImportPath != "github.com/stratakube/strata/operator/cmd/strata-webhook" {
		t.Errorf("found %v", found)
	}
}

func TestChoose(t *testing.T) {
	const ours = "example.com/strata/"
	got := choose([]packages.Package{
		{ImportPath: ours + "operator/arm/cmd/strata-arm"},
		{ImportPath: ours + "operator/cmd/strata-operator"},
		{ImportPath: ours + "tools/strata-webhook"}, // is no command
	})
	arm := Command{Name: "strata-arm", ImportPath: ours + "operator/arm/cmd/strata-arm"}
	want := []Command{{Name: "strata-operator", ImportPath: ours + "operator/cmd/strata-operator", Plugins: []Command{arm}}, arm}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestImage builds the image of a small command twice, in two folders, where no registry can be
// reached.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds ko")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	download(t, w)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9") // nobody listens there
	}
	plugins := folder(t, map[string]string{"strata-arm": "a program", "strata-plugins.lock": "{}"})
	if err := os.Chmod(filepath.Join(plugins, "strata-arm"), 0o755); err != nil {
		t.Fatal(err)
	}
	var printed []string
	var image image
	for range 2 {
		root := folder(t, map[string]string{
			"go.mod":  "module example.com/hello\n\ngo 1.26.0\n",
			"main.go": "package main\n\nfunc main() { println(\"hello\") }\n",
		})
		out := t.TempDir()
		lines, err := build(t.Context(), w, root, Options{Out: out, Tag: "v1"}, "example.com/hello="+plugins)
		if err != nil {
			t.Fatal(err)
		}
		printed = append(printed, lines)
		image = read(t, filepath.Join(out, "hello.tar"))
		if _, err := os.Stat(filepath.Join(out, "layout", "index.json")); err != nil {
			t.Error(err)
		}
	}
	if printed[0] != printed[1] || !strings.HasPrefix(printed[0], "hello:v1 sha256:") {
		t.Errorf("the same inputs gave %q", printed)
	}
	if c := image.config; c.Config.User != "65532:65532" || !slices.Equal(c.Config.Entrypoint, []string{"/ko-app/hello"}) || c.OS+"/"+c.Architecture != Platform {
		t.Errorf("the image is %+v", c)
	}
	if !slices.Equal(image.tags, []string{"hello:v1"}) {
		t.Errorf("its tags are %v", image.tags)
	}
	if f := image.files["ko-app/hello"]; !bytes.HasPrefix(f.body, []byte("\x7fELF")) || f.mode&0o111 == 0 {
		t.Errorf("there is no program among %v", slices.Sorted(maps.Keys(image.files)))
	}
	if f := image.files["plugins/strata-arm"]; string(f.body) != "a program" || f.mode != 0o555 {
		t.Errorf("the plugin is %+v", f)
	}
	if f := image.files["plugins/strata-plugins.lock"]; string(f.body) != "{}" || f.mode != 0o444 {
		t.Errorf("the lock is %+v", f)
	}
	trust := x509.NewCertPool()
	trusted := image.files["etc/ssl/certs/ca-certificates.crt"].body
	if !trust.AppendCertsFromPEM(trusted) || bytes.Count(trusted, []byte("BEGIN CERTIFICATE")) < 100 {
		t.Errorf("the CAs are %d bytes", len(trusted))
	}
	if f := image.files["tmp/"]; f.mode != 0o1777 {
		t.Errorf("the mode of /tmp is %o", f.mode)
	}
	if printed := image.run(t, image.unpacked(t)); printed != "hello\n" {
		t.Errorf("the program of the image prints %q", printed)
	}
}

// TestTheOperatorRunsFromItsImage unpacks the layers of the image, runs the operator from
// them, and starts the plugins that the image locks.
func TestTheOperatorRunsFromItsImage(t *testing.T) {
	if os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_SOAK=1: links the operator and its plugin for an image")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := Find(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(commands, func(c Command) bool { return c.Name == "strata-operator" })
	plugins, out := filepath.Join(t.TempDir(), "plugins"), t.TempDir()
	if err := lock(t.Context(), w, plugins, commands[at].Plugins); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.Context(), w, w.Root, Options{Out: out}, commands[at].ImportPath+"="+plugins); err != nil {
		t.Fatal(err)
	}
	image := read(t, filepath.Join(out, "strata-operator.tar"))
	root := image.unpacked(t)
	if printed := image.run(t, root, "--help"); !strings.Contains(printed, "--leader-elect") {
		t.Errorf("the operator of the image prints\n%s", printed)
	}
	printed, err := (command.In{Dir: w.Root}).Output(t.Context(), "go", "run", "./operator/plugin/cmd/strata-plugin", "verify", "--dir", filepath.Join(root, "plugins"))
	if err != nil || !strings.Contains(printed, "plugins that match strata-plugins.lock and work: 1") {
		t.Errorf("the plugins of the image: %v\n%s", err, printed)
	}
}

// unpacked writes the files of the image into a folder, with their modes.
func (i image) unpacked(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, f := range i.files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if f.isFolder {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.body, os.FileMode(f.mode).Perm()); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// run runs the entry point of the image from a folder that has its files, without the environment
// of this process, and returns its output.
func (i image) run(t *testing.T, root string, args ...string) string {
	t.Helper()
	program := exec.CommandContext(t.Context(), filepath.Join(root, filepath.FromSlash(i.config.Config.Entrypoint[0])), args...)
	program.Dir, program.Env = root, []string{"TMPDIR=" + t.TempDir()}
	printed, err := program.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", program, err, printed)
	}
	return string(printed)
}

// download downloads what ko is built of, while the network may still be used.
func download(t *testing.T, w *modules.Workspace) {
	t.Helper()
	if _, err := ko(w).Output(t.Context(), "go", "list", "-deps", "."); err != nil {
		t.Fatal(err)
	}
}

// TestLock builds and locks the plugin that is the example of plugins.
func TestLock(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds a plugin")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "plugins")
	if err := lock(t.Context(), w, dir, []Command{{Name: "files", ImportPath: "github.com/stratakube/strata/operator/plugin/example/files"}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "strata-plugins.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("example.com/files")) {
		t.Errorf("the lock says\n%s", text)
	}
}

// TestWrongCommand requires an error that names the command that cannot be built.
func TestWrongCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds ko")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	root := folder(t, map[string]string{"go.mod": "module example.com/hello\n\ngo 1.26.0\n", "hello.go": "package hello\n"})
	if _, err := build(context.Background(), w, root, Options{Out: t.TempDir()}, "example.com/hello"); err == nil || !strings.Contains(err.Error(), "example.com/hello") {
		t.Errorf("a package that is no command: %v", err)
	}
}

// folder is a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// image is the content of a tarball.
type image struct {
	tags   []string
	config struct {
		OS, Architecture string
		Config           struct {
			User       string
			Entrypoint []string
		}
	}
	files map[string]file // without a slash before them
}

type file struct {
	mode     int64
	body     []byte
	isFolder bool
}

func read(t *testing.T, name string) image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	outer := unpack(t, f)
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	decode(t, outer["manifest.json"].body, &manifest)
	i := image{tags: manifest[0].RepoTags, files: map[string]file{}}
	decode(t, outer[manifest[0].Config].body, &i.config)
	for _, layer := range manifest[0].Layers {
		text, err := gzip.NewReader(bytes.NewReader(outer[layer].body))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(i.files, unpack(t, text))
	}
	return i
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, r io.Reader) map[string]file {
	t.Helper()
	files := map[string]file{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "/")] = file{h.Mode, body, h.Typeflag == tar.TypeDir}
	}
}
