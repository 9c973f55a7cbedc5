package archives

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// small is a workspace with a program, and a module outside of it with another one. They import
// little, since they are compiled for six platforms.
const small = `
-- LICENSE --
A licence.
-- go.work --
go 1.26.0

use ./main
-- main/go.mod --
module example.com/small/main

go 1.26.0
-- main/main.go --
package main

import "os"

var release, commit string

func main() {
	switch args := os.Args[1:]; {
	case args[0] == "completion":
		os.Stdout.WriteString("complete " + args[1] + "\n")
	case len(args) == 1 && args[0] == "--help":
		os.Stdout.WriteString("strata writes\n\nUsage:\n  strata\n\nCommands:\n  write       write \\ it\n  help        print help\n\nPrograms:\n  tool        another\n")
	case args[0] == "write":
		os.Stdout.WriteString("write it\n\n.dots and -dashes\n")
	default:
		os.Stdout.WriteString(release + " " + commit + "\n")
	}
}
-- tool/go.mod --
module example.com/small/tool

go 1.26.0
-- tool/cmd/strata-tool/main.go --
package main

func main() {}
`

// options are those of a release of the small workspace, in a new folder.
func options(t *testing.T) Options {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(small)), root); err != nil {
		t.Fatal(err)
	}
	return Options{
		Root: root, Module: "example.com/small", Out: filepath.Join(t.TempDir(), "release"), Version: "v0.1.0", Commit: "0123456789abcdef0123456789abcdef01234567",
		Time: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), Builder: LocalBuilder, Platforms: Platforms,
		Programs: []Program{
			{Name: "strata", Package: "./main", Release: "main.release", Commit: "main.commit"},
			{Name: "strata-tool", Module: "tool", Package: "./cmd/strata-tool"},
		},
	}
}

// files reads a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

// TestBuild builds a release twice, in two folders, and reads all of it.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles for six platforms")
	}
	first, second := options(t), options(t)
	for _, o := range []Options{first, second} {
		if err := Build(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	made := files(t, first.Out)
	for name, text := range files(t, second.Out) {
		if made[name] != text {
			t.Errorf("%s differs between two builds", name)
		}
	}
	if len(made) != 2*len(Platforms)+4 {
		t.Errorf("there are %d files", len(made))
	}
	for _, on := range Platforms {
		checkArchive(t, first, made, on)
	}
	checkManifests(t, first, made)
	if err := Build(t.Context(), first); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second build in one folder: %v", err)
	}
	first.Version = "0.1.0"
	if err := Build(t.Context(), first); err == nil || !strings.Contains(err.Error(), `"0.1.0" is no version`) {
		t.Errorf("a version without its letter: %v", err)
	}
}

func checkArchive(t *testing.T, o Options, made map[string]string, on Platform) {
	t.Helper()
	name := o.archive(on)
	entries, err := unpack(on, []byte(made[name]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
		if e.isProgram != strings.HasPrefix(e.name, "strata") {
			t.Errorf("%s: %s is a program: %v", name, e.name, e.isProgram)
		}
		if e.name == "man/man1/strata-write.1" {
			const want = ".TH STRATA-WRITE 1 \"2026-11-28\" \"strata v0.1.0\" \"Strata\"\n.SH NAME\nstrata\\-write \\- write it\n.SH DESCRIPTION\n.nf\n\\&.dots and \\-dashes\n.fi\n"
			if diff := cmp.Diff(want, string(e.body)); diff != "" {
				t.Errorf("the page (-want +got):\n%s", diff)
			}
		}
		if on == here && e.name == "strata" {
			file := filepath.Join(t.TempDir(), "strata")
			if err := os.WriteFile(file, e.body, 0o755); err != nil {
				t.Fatal(err)
			}
			if printed, err := exec.CommandContext(t.Context(), file, "version").Output(); err != nil || string(printed) != "v0.1.0 "+o.Commit+"\n" {
				t.Errorf("the program prints %q (%v)", printed, err)
			}
		}
	}
	want := []string{
		on.file("strata"), on.file("strata-tool"), "LICENSE", "completions/strata.bash", "completions/strata.fish", "completions/strata.ps1", "completions/_strata",
		"man/man1/strata.1", "man/man1/strata-write.1", "man/man1/strata-tool.1",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("%s has (-want +got):\n%s", name, diff)
	}
	var doc spdxDocument
	if err := json.Unmarshal([]byte(made[name+sbomSuffix]), &doc); err != nil {
		t.Fatal(err)
	}
	var modules []string
	ids := map[string]bool{spdxRoot: true}
	for _, p := range doc.Packages {
		modules = append(modules, p.Name+" "+p.VersionInfo)
		ids[p.SPDXID] = true
	}
	for _, f := range doc.Files {
		ids[f.SPDXID] = true
	}
	for _, r := range doc.Relationships {
		if !ids[r.Element] || !ids[r.Related] {
			t.Errorf("a relationship names what is not there: %+v", r)
		}
	}
	for _, want := range []string{"strata v0.1.0", "example.com/small/main v0.1.0", "example.com/small/tool v0.1.0"} {
		if !slices.Contains(modules, want) {
			t.Errorf("%s: the list lacks %s: %q", name, want, modules)
		}
	}
}

// checkManifests requires that the manifest of krew and the formula name each archive with its sum.
func checkManifests(t *testing.T, o Options, made map[string]string) {
	t.Helper()
	for _, on := range Platforms {
		sum, address := sumOf([]byte(made[o.archive(on)])), "https://example.com/small/releases/download/generator/v0.1.0/"+o.archive(on)
		for _, manifest := range []string{krewFile, brewFile} {
			if manifest == brewFile && on.OS == "windows" {
				continue
			}
			if !strings.Contains(made[manifest], address) || !strings.Contains(made[manifest], sum) {
				t.Errorf("%s does not name %s with %s", manifest, address, sum)
			}
		}
		if !strings.Contains(made[Checksums], sum+"  "+o.archive(on)+"\n") {
			t.Errorf("%s lacks %s", Checksums, o.archive(on))
		}
		if on.OS != "windows" {
			checkFormula(t, made[brewFile], on, made[o.archive(on)])
		}
	}
}

var (
	installed = regexp.MustCompile(`install (?:Dir\[)?"([^"]+)"`)
	begins    = regexp.MustCompile(`(?m)^ *(class|def) | do$`)
	ends      = regexp.MustCompile(`(?m)^ *end$`)
)

// checkFormula requires that an archive has all files that the formula installs, and that each
// block of the formula ends.
func checkFormula(t *testing.T, formula string, on Platform, archive string) {
	t.Helper()
	entries, err := unpack(on, []byte(archive))
	if err != nil {
		t.Fatal(err)
	}
	all := installed.FindAllStringSubmatch(formula, -1)
	if len(all) != 6 { // two programs, their pages, and the completions of three shells
		t.Errorf("the formula installs %q", all)
	}
	for _, m := range all {
		if !slices.ContainsFunc(entries, func(e entry) bool { isOf, _ := path.Match(m[1], e.name); return isOf }) {
			t.Errorf("the archive for %s lacks %s, which the formula installs", on, m[1])
		}
	}
	if b, e := len(begins.FindAllString(formula, -1)), len(ends.FindAllString(formula, -1)); b != e || b < 9 {
		t.Errorf("the formula begins %d blocks, and ends %d:\n%s", b, e, formula)
	}
}

// release builds a signed release for this machine. It returns the public key and a function that
// signs again.
func release(t *testing.T) (o Options, trust Trust, again func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: builds what signs")
	}
	o = options(t)
	o.Platforms = []Platform{here}
	if err := Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	key, public := keys(t)
	root := workspace(t)
	again = func() {
		t.Helper()
		if err := os.Remove(filepath.Join(o.Out, Checksums)); err != nil {
			t.Fatal(err)
		}
		for _, of := range signed {
			_ = os.Remove(filepath.Join(o.Out, of.name+bundleSuffix))
		}
		if err := o.sum(); err != nil {
			t.Fatal(err)
		}
		if err := Sign(t.Context(), root, o.Out, Signer{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	again()
	return o, Trust{Key: public}, again
}

// keys are the files of a new key.
func keys(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private = write("cosign.key", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(key.Public())
	return private, write("cosign.pub", "PUBLIC KEY", der, err)
}

func workspace(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return w.Root
}

// TestVerify verifies a release, and then the same release after each change that is possible
// without the key, or that a wrong build would make.
func TestVerify(t *testing.T) {
	tier.Long(t, "builds a release to change it in many ways")
	o, trust, again := release(t)
	root := workspace(t)
	if n, err := Verify(t.Context(), root, o.Out, trust); err != nil || n != 1 {
		t.Fatalf("%d archives are verified: %v", n, err)
	}
	_, other := keys(t)
	for _, test := range []struct {
		reason, want string
		trust        Trust
	}{
		{"another key", "checksums.txt", Trust{Key: other}},
		{"nobody is trusted", "say whom to trust", Trust{}},
		{"an identity without its issuer", "say whom to trust", Trust{Root: "root.json", Identity: "joe"}},
		{"a key and an identity", "say whom to trust", Trust{Key: other, Root: "root.json", Identity: "joe", Issuer: "https://example.com"}},
	} {
		if _, err := Verify(t.Context(), root, o.Out, test.trust); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
	whole := files(t, o.Out)
	archive := o.archive(here)
	change := func(name, old, now string) func() {
		return func() {
			t.Helper()
			if !strings.Contains(whole[name], old) {
				t.Fatalf("%s has no %q", name, old)
			}
			if err := o.write(name, []byte(strings.Replace(whole[name], old, now, 1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func() { return func() { _ = os.Remove(filepath.Join(o.Out, name)) } }
	list := archive + sbomSuffix
	for _, test := range []struct {
		reason, want string
		change       func()
		isSigned     bool // by the key, after the change
	}{
		{"another archive", archive + " is not the file that was signed", change(archive, whole[archive][:4], "evil"), false},
		{"another list of modules", list + " is not the file that was signed", change(list, "SPDX-2.3", "SPDX-2.2"), false},
		{"an archive is gone", archive + ": no such file", remove(archive), false},
		{"a file more", "more.tar.gz is not signed", func() { _ = o.write("more.tar.gz", nil) }, false},
		{"other checksums", "checksums.txt", change(Checksums, archive, "x"+archive), false},
		{"another origin", "the bundle has another statement", change(provenance, o.Commit, strings.Repeat("f", 40)), false},
		{"no signature", "checksums.txt.sigstore.json: no such file", remove(Checksums + bundleSuffix), false},
		{"the signature of another file", "checksums.txt", change(Checksums+bundleSuffix, whole[Checksums+bundleSuffix], whole[provenance+bundleSuffix]), false},
		{"a statement without a statement's signature", "the bundle has no envelope of a statement", change(provenance+bundleSuffix, whole[provenance+bundleSuffix], whole[Checksums+bundleSuffix]), false},
		{"the origin of another archive", "states the origin of another " + archive, change(provenance, sumOf([]byte(whole[archive])), strings.Repeat("0", 64)), true},
		{"no origin of an archive", "states nothing about other.tar.gz", func() { _ = o.write("other.tar.gz", nil) }, true},
		{"a list of another program", "its list of modules is of another strata", func() {
			var doc spdxDocument
			if err := json.Unmarshal([]byte(whole[list]), &doc); err != nil {
				t.Fatal(err)
			}
			change(list, doc.Files[0].Checksums[1].Value, strings.Repeat("0", 64))()
		}, true},
		{"a list of one program more", "it lacks the program strata-gone", change(list, "./strata-tool", "./strata-gone"), true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.change()
			if test.isSigned {
				again()
			}
			if _, err := Verify(t.Context(), root, o.Out, trust); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			for name := range files(t, o.Out) {
				if _, ok := whole[name]; !ok {
					remove(name)()
				}
			}
			for name, text := range whole {
				if err := o.write(name, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if _, err := Verify(t.Context(), root, o.Out, trust); err != nil {
		t.Error(err)
	}
}

// TestForeignPrograms requires an error for a program that was built for another platform.
func TestForeignPrograms(t *testing.T) {
	o := options(t)
	file := filepath.Join(t.TempDir(), "strata")
	if err := o.build(t.Context(), o.Programs[0], here, file); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	on := Platform{"linux", "arm64"}
	if here == on {
		on.Arch = "amd64"
	}
	a := artifact{platform: on, name: o.archive(on), programs: []entry{{name: "strata", body: body, isProgram: true}}}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := pack(on, a.programs, o.Time)
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.sbom(a)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{a.name: text, a.name + sbomSuffix: list} {
		if err := o.write(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := verifyArchive(o.Out, a.name); err == nil || !strings.Contains(err.Error(), "was not built with GOARCH="+on.Arch) {
		t.Errorf("a program for %s in an archive for %s: %v", here, on, err)
	}
}

// TestSignatures runs the tests of the program that signs: of keys as cosign encrypts them, and of
// identities.
func TestSignatures(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds what signs")
	}
	in := command.In{Dir: filepath.Join(workspace(t), "tools", "build", "archives", "sign"), Env: []string{"GOWORK=off"}}
	printed, err := in.Output(t.Context(), "go", "test", "-v", "./...")
	if err != nil || !strings.Contains(printed, "--- PASS: TestKeyOfCosign") || !strings.Contains(printed, "--- PASS: TestIdentity") {
		t.Errorf("%v\n%s", err, printed)
	}
}

// TestKubectl installs the archive of this machine with krew, by the manifest of the release, and
// runs it as a plugin of kubectl. strata finds the programs beside it, although krew links it.
func TestKubectl(t *testing.T) {
	tier.Long(t, "builds strata and krew")
	root := workspace(t)
	o := options(t)
	o.Root, o.Module, o.Platforms, o.Unvetted = root, "github.com/stratakube/strata", []Platform{here}, true
	o.Programs = slices.DeleteFunc(slices.Clone(Programs), func(p Program) bool { return p.Name != "strata" && p.Name != "strata-cluster" })
	if err := Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	folder, err := binaries.Build(t.Context(), func(line string) { t.Log(line) }, binaries.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	krew := filepath.Join(home, "krew")
	in := command.In{Dir: filepath.Join(root, "tools", "build", "archives", "krew"), Env: []string{"GOWORK=off"}}
	if err := programs.Build(t.Context(), in, krew, "sigs.k8s.io/krew/cmd/krew"); err != nil {
		t.Fatal(err)
	}
	user := command.In{Dir: home, Env: []string{
		"HOME=" + home, "KREW_ROOT=" + filepath.Join(home, ".krew"), "KREW_NO_UPGRADE_CHECK=1", "HTTPS_PROXY=http://127.0.0.1:9",
		"PATH=" + filepath.Join(home, ".krew", "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
	}}
	if printed, err := user.Output(t.Context(), krew, "install", "--manifest="+filepath.Join(o.Out, krewFile), "--archive="+filepath.Join(o.Out, o.archive(here))); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	kubectl := func(args ...string) string {
		t.Helper()
		printed, err := user.Output(t.Context(), folder.Path(binaries.Kubectl), args...)
		if err != nil {
			t.Errorf("kubectl %q: %v\n%s", args, err, printed)
		}
		return printed
	}
	if printed := kubectl("plugin", "list", "--name-only"); !strings.Contains(printed, "kubectl-strata") {
		t.Errorf("kubectl finds\n%s", printed)
	}
	if printed := kubectl("strata", "version"); !strings.HasPrefix(printed, fmt.Sprintf("strata v0.1.0 %s go", o.Commit[:12])) || !strings.Contains(printed, "\nledger: strata ledger ") {
		t.Errorf("kubectl strata version prints\n%s", printed)
	}
	// The test of the formula runs the same program.
	formula := files(t, o.Out)[brewFile]
	m := regexp.MustCompile(`(?s)version "([^"]+)".*assert_match version.to_s, shell_output\("#\{bin\}/strata ([^"]+)"\)`).FindStringSubmatch(formula)
	if m == nil {
		t.Fatalf("the formula has no test:\n%s", formula)
	}
	if printed := kubectl("strata", m[2]); !strings.Contains(printed, m[1]) {
		t.Errorf("strata %s prints %q, and the formula is of %s", m[2], printed, m[1])
	}
	if printed := kubectl("strata", "cluster", "--help"); !strings.Contains(printed, "upgrade") {
		t.Errorf("kubectl strata cluster prints\n%s", printed)
	}
}

// TestPrograms requires that the archives have all programs that strata runs as its commands.
func TestPrograms(t *testing.T) {
	file := filepath.Join(workspace(t), "generator", "internal", "cli", "external.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Programs[1:] {
		folder := "github.com/stratakube/strata/" + strings.TrimPrefix(filepath.ToSlash(filepath.Join(p.Module, p.Package)), "./")
		if !strings.Contains(string(text), fmt.Sprintf("%q", folder)) {
			t.Errorf("strata does not run %s", folder)
		}
	}
	if n := strings.Count(string(text), "/cmd/strata-"); n != len(Programs)-1 {
		t.Errorf("strata runs %d programs, and the archives have %d beside it", n, len(Programs)-1)
	}
}

// TestRealArchives builds the real archives of this commit for all platforms, in two folders.
func TestRealArchives(t *testing.T) {
	tier.Soak(t, "compiles five programs for six platforms")
	var first map[string]string
	for i := range 2 {
		o := options(t)
		o.Root, o.Module, o.Programs, o.Unvetted = filepath.Join(t.TempDir(), "strata"), "github.com/stratakube/strata", Programs, i > 0
		if printed, err := exec.CommandContext(t.Context(), "git", "clone", "-q", workspace(t), o.Root).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if err := Build(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		made := files(t, o.Out)
		if first == nil {
			first = made
			continue
		}
		for name, text := range made {
			if first[name] != text {
				t.Errorf("%s differs between two builds", name)
			}
		}
	}
}
