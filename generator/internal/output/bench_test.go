package output_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/output"
)

// large returns a run of 12,000 files, 60 MB: as many as a whole corpus produces.
func large(dir string) output.Run {
	random := rand.New(rand.NewPCG(1, 2))
	run := output.Run{Dir: dir}
	for i := range 12_000 {
		line := fmt.Sprintf("// %d %x\n", i, random.Uint64())
		body := append([]byte(output.Header+"\n"), bytes.Repeat([]byte(line), 5000/len(line))...)
		run.Files = append(run.Files, output.File{Path: fmt.Sprintf("group%02d/v%04d/storage/file%d.go", i%31, i/4, i%4), Body: body})
	}
	return run
}

// BenchmarkCompare compares a run with a folder that already has its files.
func BenchmarkCompare(b *testing.B) {
	run := large(b.TempDir())
	changes := mustCompare(b, run)
	mustApply(b, changes)
	run.Previous = changes.Manifest
	for b.Loop() {
		if again := mustCompare(b, run); again.Count(output.Keep) != len(run.Files)+1 {
			b.Fatalf("%d files kept", again.Count(output.Keep))
		}
	}
}

// BenchmarkApply writes everything into a new folder.
func BenchmarkApply(b *testing.B) {
	run := large("")
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		run.Dir = filepath.Join(dir, fmt.Sprint(i))
		mustApply(b, mustCompare(b, run))
	}
}

// BenchmarkFresh measures a second run: reading the stamp and hashing all outputs.
func BenchmarkFresh(b *testing.B) {
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	run := large(b.TempDir())
	changes := mustCompare(b, run)
	mustApply(b, changes)
	if err := (&output.Stamp{Outputs: changes.Outputs}).Write(run.Dir); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if !output.ReadStamp(run.Dir).Fresh(b.Context(), run.Dir, output.Digest{}, nil) {
			b.Fatal("not fresh")
		}
	}
}

// BenchmarkInputs digests a tree like the corpus: 554 files, 26 MB.
func BenchmarkInputs(b *testing.B) {
	dir := b.TempDir()
	run := output.Run{Dir: dir}
	for i := range 554 {
		run.Files = append(run.Files, output.File{Path: fmt.Sprintf("v%d/schema%d.json", i%100, i), Body: bytes.Repeat([]byte{byte(i)}, 47<<10)})
	}
	mustApply(b, mustCompare(b, run))
	for b.Loop() {
		var in output.Inputs
		if err := in.AddTree("schemas", dir, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := in.Digest(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkManifest writes and reads a manifest of 2,600 resources, 12,000 files.
func BenchmarkManifest(b *testing.B) {
	m := &output.Manifest{Version: output.ManifestVersion}
	for i := range 2_600 {
		r := manifest().Resources[1]
		r.Version = fmt.Sprintf("v%08d", i)
		m.Resources = append(m.Resources, r)
	}
	for i, file := range large("").Files {
		m.Files = append(m.Files, output.FileSum{Path: file.Path, SHA256: output.Digest{byte(i)}})
	}
	for b.Loop() {
		body, err := m.Marshal()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := output.ParseManifest("manifest.json", body); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
	}
}
