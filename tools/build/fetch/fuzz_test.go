package fetch

import (
	"archive/tar"
	"io/fs"
	"strings"
	"testing"
)

// Fuzz with -fuzzminimizetime=10x: by default most of the time goes into making
// interesting archives smaller.
var fuzzLimits = Limits{UnpackedBytes: 1 << 20, Files: 100}

// wantSafe requires that reading either fails or returns files that a folder can contain.
func wantSafe(t *testing.T, data []byte) {
	got, err := readAll(data, fuzzLimits)
	if err != nil && !isRefusal(err) {
		t.Errorf("%v is no refusal", err)
	}
	for path := range got {
		if !fs.ValidPath(path) || strings.ContainsAny(path, "\\\n") || !strings.HasPrefix(path, "schemas/") {
			t.Errorf("unsafe path %q", path)
		}
		for other := range got {
			if strings.HasPrefix(other, path+"/") {
				t.Errorf("%q stands below the file %q", other, path)
			}
		}
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(example().archive(f))
	f.Add(example().archive(f)[:300])
	f.Fuzz(wantSafe)
}

// FuzzTar mutates below the compression, where most of the rules are.
func FuzzTar(f *testing.F) {
	f.Add(example().tar(f))
	f.Add(example().tar(f, tar.Header{Typeflag: tar.TypeLink, Name: "top/schemas/x.json", Linkname: "top/README"}))
	f.Add(example().tar(f, tar.Header{Typeflag: tar.TypeReg, Name: "top/schemas/" + strings.Repeat("long/", 60) + "x.json"}))
	f.Fuzz(func(t *testing.T, data []byte) { wantSafe(t, zipped(t, data)) })
}

// FuzzSources requires that decoded sources are the same after printing and decoding.
func FuzzSources(f *testing.F) {
	head := "apiVersion: strata.dev/v1alpha1\nkind: Sources\nsources:\n"
	f.Add([]byte(head + example().pin("things").String()))
	f.Add([]byte(head + "  - &a {name: x, paths: [*a]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := parseSources("sources.yaml", data)
		if err != nil {
			return
		}
		text := head
		for _, s := range sources {
			text += s.String()
		}
		again, err := parseSources("again.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for i, s := range sources {
			if s.String() != again[i].String() {
				t.Errorf("printed %s\nread %s", s, again[i])
			}
		}
	})
}
