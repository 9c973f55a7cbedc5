package images

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
	"github.com/stratakube/strata/tools/build/testrun/tier"
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
		t.Skip("short: builds strata-image")
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
		lines, err := build(t.Context(), w, root, Options{Out: out, Tag: "v1"}, "hello=example.com/hello", "--plugins=hello="+plugins)
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
	wantEnv := []string{"PATH=/usr/bin:/bin:/ko-app", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}
	if c := image.config.Config; c.WorkingDir != "/" || !slices.Equal(c.Env[:min(2, len(c.Env))], wantEnv) {
		t.Errorf("its processes start in %q with the environment %q", c.WorkingDir, c.Env)
	}
	for name, want := range map[string]string{"etc/passwd": "nonroot:x:65532:65532:", "etc/group": "nonroot:x:65532:"} {
		if f := image.files[name]; !strings.Contains("\n"+string(f.body), "\n"+want) || f.mode != 0o644 {
			t.Errorf("%s has no %s: %s", name, want, f.body)
		}
	}
	if printed := image.run(t, image.unpacked(t)); printed != "hello\n" {
		t.Errorf("the program of the image prints %q", printed)
	}
}

// TestOperatorRunsFromItsImage unpacks the layers of the image, runs the operator from
// them, and starts the plugins that the image locks.
func TestOperatorRunsFromItsImage(t *testing.T) {
	tier.Soak(t, "links the operator and its plugin for an image")
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
	if _, err := build(t.Context(), w, w.Root, Options{Out: out}, "strata-operator="+commands[at].ImportPath, "--plugins=strata-operator="+plugins); err != nil {
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

// download downloads what strata-image is built of, while the network may still be used.
func download(t *testing.T, w *modules.Workspace) {
	t.Helper()
	if _, err := module(w).Output(t.Context(), "go", "list", "-deps", "./..."); err != nil {
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
		t.Skip("short: builds strata-image")
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

// TestPlatforms builds one image for two platforms: an index in the layout, and a tarball of each.
func TestPlatforms(t *testing.T) {
	b := newBench(t)
	if printed, err := b.build("registry.example.com/team/demo-webhook=.", "--platform=linux/amd64,linux/arm64", "--tag=v1"); err != nil || !strings.HasPrefix(printed, "registry.example.com/team/demo-webhook:v1 sha256:") {
		t.Fatalf("%v\n%s", err, printed)
	}
	var all, index struct {
		Manifests []struct {
			Digest      string
			Platform    struct{ OS, Architecture string }
			Annotations map[string]string
		}
	}
	layout := filepath.Join(b.out, "layout")
	decodeFile(t, filepath.Join(layout, "index.json"), &all)
	if len(all.Manifests) != 1 || all.Manifests[0].Annotations["io.containerd.image.name"] != "registry.example.com/team/demo-webhook:v1" {
		t.Fatalf("the layout has %+v", all)
	}
	decodeFile(t, filepath.Join(layout, "blobs", "sha256", strings.TrimPrefix(all.Manifests[0].Digest, "sha256:")), &index)
	var architectures []string
	for _, m := range index.Manifests {
		architectures = append(architectures, m.Platform.Architecture)
	}
	if !slices.Equal(architectures, []string{"amd64", "arm64"}) {
		t.Errorf("the index is for %q", architectures)
	}
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		i := read(t, filepath.Join(b.out, "demo-webhook_linux_"+architecture+".tar"))
		program, err := elf.NewFile(bytes.NewReader(i.files["ko-app/hello"].body))
		if err != nil || program.Machine != machine || i.config.Architecture != architecture {
			t.Errorf("the image for %s has a program for %v, and is for %s (%v)", architecture, program, i.config.Architecture, err)
		}
	}
}

// TestBase builds on a base from an OCI layout, which has no files at all.
func TestBase(t *testing.T) {
	b := newBench(t)
	base := scratch(t, runtime.GOARCH)
	if _, err := b.build("hello=.", "--base="+base); err != nil {
		t.Fatal(err)
	}
	i := read(t, filepath.Join(b.out, "hello.tar"))
	if !slices.Contains(i.config.Config.Env, "OF_THE_BASE=yes") || i.config.Config.User != "65532:65532" {
		t.Errorf("the image is %+v", i.config)
	}
	if _, has := i.files["etc/passwd"]; has {
		t.Error("the image has files of the base that is made")
	}
	if printed := i.run(t, i.unpacked(t)); printed != "hello\n" {
		t.Errorf("the program of the image prints %q", printed)
	}
	_, err := b.build("hello=.", "--base="+base, "--platform=linux/s390x")
	if err == nil || !strings.Contains(err.Error(), "no image for linux/s390x, but for linux/"+runtime.GOARCH) {
		t.Errorf("a platform that the base lacks: %v", err)
	}
}

// scratch writes an OCI layout of an image without layers.
func scratch(t *testing.T, architecture string) string {
	o := newOCI(t)
	return o.write(o.image("linux", architecture, ""))
}

// oci is an OCI layout that a test writes.
type oci struct {
	t   *testing.T
	dir string
}

// descriptor is an entry of an index.
type descriptor = map[string]any

func newOCI(t *testing.T) oci {
	t.Helper()
	o := oci{t, t.TempDir()}
	if err := os.MkdirAll(filepath.Join(o.dir, "blobs", "sha256"), 0o755); err != nil {
		t.Fatal(err)
	}
	return o
}

// blob writes a value, and returns its descriptor.
func (o oci) blob(mediaType string, value any) descriptor {
	o.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		o.t.Fatal(err)
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(text))
	if err := os.WriteFile(filepath.Join(o.dir, "blobs", "sha256", digest), text, 0o644); err != nil {
		o.t.Fatal(err)
	}
	return descriptor{"mediaType": mediaType, "digest": "sha256:" + digest, "size": len(text)}
}

// image writes an image without layers.
func (o oci) image(system, architecture, variant string) descriptor {
	o.t.Helper()
	config := o.blob("application/vnd.oci.image.config.v1+json", map[string]any{
		"os": system, "architecture": architecture, "variant": variant, "config": map[string]any{"Env": []string{"OF_THE_BASE=yes" + variant}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{}},
	})
	const mediaType = "application/vnd.oci.image.manifest.v1+json"
	return o.blob(mediaType, map[string]any{"schemaVersion": 2, "mediaType": mediaType, "config": config, "layers": []string{}})
}

// index writes an index.
func (o oci) index(all ...descriptor) descriptor {
	o.t.Helper()
	const mediaType = "application/vnd.oci.image.index.v1+json"
	return o.blob(mediaType, map[string]any{"schemaVersion": 2, "mediaType": mediaType, "manifests": all})
}

// write writes the files of the layout, and returns its folder.
func (o oci) write(all ...descriptor) string {
	o.t.Helper()
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": all})
	if err != nil {
		o.t.Fatal(err)
	}
	for name, text := range map[string]string{"index.json": string(index), "oci-layout": `{"imageLayoutVersion": "1.0.0"}`} {
		if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
	return o.dir
}

// TestBaseOfSeveralImages chooses images of a base by platform and variant, also in an index within
// its index. An attestation is no image.
func TestBaseOfSeveralImages(t *testing.T) {
	b := newBench(t)
	o := newOCI(t)
	attestation := o.image("unknown", "unknown", "")
	attestation["platform"] = map[string]string{"os": "unknown", "architecture": "unknown"}
	base := o.write(o.index(o.image("linux", "arm", "v6"), o.image("linux", "arm", "v7"), attestation), o.image("linux", "amd64", ""))
	if printed, err := b.build("hello=.", "--base="+base, "--platform=linux/arm/v7,linux/amd64"); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	for name, want := range map[string]string{"hello_linux_arm_v7.tar": "OF_THE_BASE=yesv7", "hello_linux_amd64.tar": "OF_THE_BASE=yes"} {
		if i := read(t, filepath.Join(b.out, name)); !slices.Contains(i.config.Config.Env, want) {
			t.Errorf("%s has the environment %q", name, i.config.Config.Env)
		}
	}
	for _, test := range []struct{ base, platform, want string }{
		{base, "linux/arm", "it has 2 images for linux/arm: use a layout of one"},
		{base, "linux/s390x", "no image for linux/s390x, but for linux/arm/v6, linux/arm/v7, linux/amd64"},
		{newOCI(t).write(attestation), "linux/arm", "it has no image of any platform"},
	} {
		if _, err := b.build("hello=.", "--base="+test.base, "--platform="+test.platform); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.platform, err, test.want)
		}
	}
}

// TestAgain builds two images into a folder that has those of an earlier build, without names and
// tags. It prints the digests that the layout has. The programs are static, although they look up
// hosts and the user wants C.
func TestAgain(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	b := newBench(t)
	for _, name := range []string{"one", "two"} {
		command := filepath.Join(b.root, "cmd", name)
		if err := os.MkdirAll(command, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(command, "main.go"), []byte("package main\n\nimport _ \"net\"\n\nfunc main() { println(\""+name+"\") }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.build("hello=.", "--tag=v1"); err != nil {
		t.Fatal(err)
	}
	printed, err := b.build("./cmd/one", "./cmd/two")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Manifests []struct {
			Digest      string
			Annotations map[string]string
		}
	}
	decodeFile(t, filepath.Join(b.out, "layout", "index.json"), &all)
	var want string
	for _, m := range all.Manifests {
		name := m.Annotations["org.opencontainers.image.ref.name"]
		if name != m.Annotations["io.containerd.image.name"] {
			t.Errorf("an image has the names %v", m.Annotations)
		}
		want += name + " " + m.Digest + "\n"
	}
	if printed != want || !strings.HasPrefix(want, "one:dev sha256:") || !strings.Contains(want, "\ntwo:dev sha256:") || len(all.Manifests) != 2 {
		t.Errorf("it prints\n%sthe layout has\n%s", printed, want)
	}
	for _, name := range []string{"one", "two"} {
		i := read(t, filepath.Join(b.out, name+".tar"))
		if printed := i.run(t, i.unpacked(t)); printed != name+"\n" {
			t.Errorf("the program of %s prints %q", name, printed)
		}
		program, err := elf.NewFile(bytes.NewReader(i.files["ko-app/"+name].body))
		if err != nil || program.Section(".symtab") != nil || program.Section(".interp") != nil {
			t.Errorf("the program of %s has symbols, or is not static (%v)", name, err)
		}
	}
}

// TestExitCodes requires 2 for an error, and 128 with its number for a signal. The signal comes
// while the go command waits for a module.
func TestExitCodes(t *testing.T) {
	b := newBench(t)
	begun, over := make(chan struct{}, 9), make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-over
	}))
	defer proxy.Close()
	defer close(over)
	for _, test := range []struct {
		signal os.Signal
		want   int
		args   []string
	}{{nil, 2, []string{"--tag=a tag"}}, {syscall.SIGINT, 130, nil}, {syscall.SIGTERM, 143, nil}} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		module := fmt.Sprintf("example.org/slow%d", test.want) // the last go command locks its own
		for name, text := range map[string]string{
			"go.mod":  "module example.com/hello\n\ngo 1.26.0\n\nrequire " + module + " v1.0.0\n",
			"main.go": "package main\n\nimport _ \"" + module + "\"\n\nfunc main() {}\n",
		} {
			if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		program := exec.CommandContext(ctx, b.program, append(test.args, "hello=.", "--out="+b.out)...)
		program.Dir, program.Env = b.root, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOPROXY="+proxy.URL)
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		if test.signal != nil {
			select {
			case <-begun:
			case <-ctx.Done():
				t.Error("the go command does not ask for the module")
			}
			_ = program.Process.Signal(test.signal)
		}
		_ = program.Wait()
		if got := program.ProcessState.ExitCode(); got != test.want {
			t.Errorf("after the signal %v the exit code is %d, want %d", test.signal, got, test.want)
		}
		cancel()
	}
}

// TestRefusals requires a message about each wrong use of strata-image.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	foreign := "arm64"
	if runtime.GOARCH == foreign {
		foreign = "amd64"
	}
	plugins := t.TempDir()
	compiler := command.In{Dir: b.root, Env: []string{"GOOS=linux", "GOARCH=" + foreign, "CGO_ENABLED=0"}}
	if _, err := compiler.Output(t.Context(), "go", "build", "-o", filepath.Join(plugins, "plugin"), "."); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, want string
		args         []string
	}{
		{"no command", "name the commands to build", nil},
		{"a command that is not there", "./cmd/none", []string{"none=./cmd/none"}},
		{"a name that no registry takes", "Hello:dev is no name of an image", []string{"Hello=."}},
		{"a folder without a name", `"." names no image`, []string{"."}},
		{"a platform without containers", `"windows/amd64" is no platform of images`, []string{"hello=.", "--platform=windows/amd64"}},
		{"two images in one file", "two images would be written to hello.tar", []string{"one/hello=.", "two/hello=."}},
		{"plugins of no image", "--plugins other: no image is called so", []string{"hello=.", "--plugins=other=" + plugins}},
		{"a plugin for another platform", "is a program for " + foreign + ", and the image is for " + Platform, []string{"hello=.", "--platform=" + Platform, "--plugins=hello=" + plugins}},
		{"an argument without a command", `"hello=" names no image`, []string{"hello="}},
		{"plugins that are not there", "read plugins: ", []string{"hello=.", "--plugins=hello=" + filepath.Join(plugins, "none")}},
		{"a base that is none", "is no OCI layout", []string{"hello=.", "--base=" + plugins}},
	} {
		if _, err := b.build(test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
	if err := os.Mkdir(filepath.Join(plugins, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.build("hello=.", "--platform=linux/"+foreign, "--plugins=hello="+plugins); err == nil || !strings.Contains(err.Error(), "more is no file") {
		t.Errorf("plugins with a folder: %v", err)
	}
	// With a folder for each platform, the same plugin is that of its own.
	if err := os.Mkdir(filepath.Join(plugins, "linux_"+foreign), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(plugins, "plugin"), filepath.Join(plugins, "linux_"+foreign, "plugin")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.build("hello=.", "--platform=linux/"+foreign, "--plugins=hello="+plugins); err != nil {
		t.Error(err)
	}
	if mode := read(t, filepath.Join(b.out, "hello.tar")).files["plugins/plugin"].mode; mode != 0o555 {
		t.Errorf("the mode of the plugin is %o", mode)
	}
}

// bench is a module with a command, and strata-image.
type bench struct {
	t                  *testing.T
	program, root, out string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("short: builds strata-image")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	program, err := builder(t.Context(), w, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := folder(t, map[string]string{
		"go.mod":  "module example.com/hello\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() { println(\"hello\") }\n",
	})
	return &bench{t, program, root, filepath.Join(t.TempDir(), "images")}
}

// build runs strata-image in the module.
func (b *bench) build(args ...string) (string, error) {
	b.t.Helper()
	return command.In{Dir: b.root, Env: []string{"GOWORK=off"}}.Output(b.t.Context(), b.program, append(args, "--out="+b.out)...)
}

// TestDefaultImages requires that the packages of the worked example name images that Build builds.
func TestDefaultImages(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "operator", "api", "chart", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Image    string
		Operator struct{ Image string }
	}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	if values.Image != "strata-webhook:"+DefaultTag || values.Operator.Image != "strata-operator:"+DefaultTag {
		t.Errorf("the chart names %+v", values)
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
			Env        []string
			WorkingDir string
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

func decodeFile(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, text, into)
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
