package fetch

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll reads an archive with the globs of the example, and returns the selected files.
func readAll(data []byte, limits Limits) (files, error) {
	got := files{}
	err := archive{bytes.NewReader(data)}.read(context.Background(), newSelection([]string{"schemas/**/*.json"}), limits.withDefaults(),
		func(path string, in io.Reader) error {
			content, err := io.ReadAll(in)
			got[path] = string(content)
			return err
		})
	return got, err
}

func TestArchiveGivesSelectedFiles(t *testing.T) {
	got, err := readAll(example().archive(t), Limits{})
	check(t, err)
	if diff := cmp.Diff(example().selected(), got); diff != "" {
		t.Error(diff)
	}
}

func TestArchiveRefuses(t *testing.T) {
	entry := func(kind byte, name string) tar.Header { return tar.Header{Typeflag: kind, Name: name} }
	link := func(kind byte, name, to string) tar.Header {
		return tar.Header{Typeflag: kind, Name: name, Linkname: to}
	}
	for _, c := range []struct {
		reason string
		extra  []tar.Header
		want   string
	}{
		{"a path climbs out of the top folder", []tar.Header{entry(tar.TypeReg, "top/../../x.json")}, "not a plain path"},
		{"a path climbs and comes back", []tar.Header{entry(tar.TypeReg, "top/schemas/../schemas/x.json")}, "not a plain path"},
		{"a path is absolute", []tar.Header{entry(tar.TypeReg, "/etc/x.json")}, "not a plain path"},
		{"a path starts with a dot", []tar.Header{entry(tar.TypeReg, "./top/schemas/x.json")}, "not a plain path"},
		{"a path climbs where backslashes separate", []tar.Header{entry(tar.TypeReg, `top/schemas/..\..\x.json`)}, "backslash"},
		{"a path would forge a line of the listing", []tar.Header{entry(tar.TypeReg, "top/schemas/x\ny.json")}, "not printable"},
		{"a path is no text", []tar.Header{{Typeflag: tar.TypeReg, Name: "top/schemas/\xff.json", Format: tar.FormatGNU}}, "not printable"},
		{"a path is endless", []tar.Header{entry(tar.TypeReg, "top/schemas/"+strings.Repeat("x", 2000)+".json")}, "longer than"},
		{"a file stands twice", []tar.Header{entry(tar.TypeReg, "top/schemas/b/two.json")}, "stands twice"},
		{"a file stands where a folder is", []tar.Header{entry(tar.TypeReg, "top/schemas/b")}, "stands twice"},
		{"a file stands below a file", []tar.Header{entry(tar.TypeReg, "top/schemas/b/two.json/x.json")}, "no folder"},
		{"a selected path is a symbolic link", []tar.Header{link(tar.TypeSymlink, "top/schemas/x.json", "../../../etc/passwd")}, "is a link"},
		{"a selected path is a hard link", []tar.Header{link(tar.TypeLink, "top/schemas/x.json", "top/README")}, "is a link"},
		{"a file stands below a symbolic link", []tar.Header{
			link(tar.TypeSymlink, "top/schemas/out", "/tmp"), entry(tar.TypeReg, "top/schemas/out/x.json"),
		}, "no folder"},
		{"a device, selected or not", []tar.Header{entry(tar.TypeChar, "top/null")}, "neither a file"},
		{"a disk", []tar.Header{entry(tar.TypeBlock, "top/schemas/x.json")}, "neither a file"},
		{"a pipe", []tar.Header{entry(tar.TypeFifo, "top/schemas/x.json")}, "neither a file"},
		{"a second top folder", []tar.Header{entry(tar.TypeReg, "other/schemas/x.json")}, "git archive"},
		{"a file beside the top folder", []tar.Header{entry(tar.TypeReg, "x.json")}, "git archive"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readAll(example().archive(t, c.extra...), Limits{})
			wantMessage(t, err, c.want)
			if !isRefusal(err) {
				t.Errorf("%v is no refusal of the archive", err)
			}
		})
	}
}

func TestArchiveSkipsLinksThatAreNotSelected(t *testing.T) {
	_, err := readAll(example().archive(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "top/docs", Linkname: "/etc"}), Limits{})
	check(t, err)
}

func TestArchiveRefusesTooManyBytes(t *testing.T) {
	zeros := func(name string) []byte {
		return files{name: strings.Repeat("\x00", 5<<20)}.archive(t)
	}
	for _, c := range []struct {
		reason string
		data   []byte
		limits Limits
		want   string
	}{
		{"a bomb in a selected file", zeros("schemas/x.json"), Limits{UnpackedBytes: 1 << 20}, "unpacks to more"},
		{"a bomb in a file that nobody selects", zeros("x"), Limits{UnpackedBytes: 1 << 20}, "unpacks to more"},
		{"a bomb behind the last entry", zipped(t, append(example().tar(t), make([]byte, 5<<20)...)), Limits{UnpackedBytes: 1 << 20}, "unpacks to more"},
		{"too many entries", example().archive(t), Limits{Files: 5}, "more than 5 entries"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readAll(c.data, c.limits)
			wantMessage(t, err, c.want)
		})
	}
}

// The header of a sparse file has a larger size than its data.
func TestTreeRefusesSparseBomb(t *testing.T) {
	data := files{"schemas/x.json": "1\n0\n1\n" + strings.Repeat("\x00", 506) + "x"}
	list := data.headers()
	list[2].PAXRecords = map[string]string{
		"xxx.sparse.major": "1", "xxx.sparse.minor": "0", "xxx.sparse.realsize": "1099511627776", "xxx.sparse.name": "top/schemas/x.json",
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range list {
		check(t, w.WriteHeader(&h))
		_, err := w.Write([]byte(data[strings.TrimPrefix(h.Name, "top/")]))
		check(t, err)
	}
	check(t, w.Close())
	bomb := zipped(t, bytes.ReplaceAll(out.Bytes(), []byte("xxx.sparse"), []byte("GNU.sparse")))

	took := anyTree(Limits{Files: 10, UnpackedBytes: 1 << 20})
	err := archive{bytes.NewReader(bomb)}.read(context.Background(), newSelection([]string{"**"}), Limits{}.withDefaults(), took.add)
	wantMessage(t, err, "more than the 1.0 MB that are allowed")
}

func TestArchiveRefusesDamage(t *testing.T) {
	whole := example().archive(t)
	for _, at := range []int{0, 1, 9, 10, 100, len(whole) / 2, len(whole) - 9, len(whole) - 1} {
		if _, err := readAll(whole[:at], Limits{}); !isRefusal(err) {
			t.Errorf("cut at byte %d of %d: %v", at, len(whole), err)
		}
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	if _, err := readAll(flipped, Limits{}); !isRefusal(err) {
		t.Errorf("a flipped bit: %v", err)
	}
}

func TestArchiveStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := archive{bytes.NewReader(example().archive(t))}.read(ctx, newSelection([]string{"**"}), Limits{}.withDefaults(),
		func(string, io.Reader) error { return nil })
	if !errors.Is(err, context.Canceled) || isRefusal(err) {
		t.Errorf("got %v", err)
	}
}
