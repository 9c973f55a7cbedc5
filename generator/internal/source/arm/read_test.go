package arm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// garden returns a schema of one resource.
func garden(resource string) string {
	return `{"resourceDefinitions": {"x": {"properties": {"type": {"enum": ["Acme.Garden/` + resource + `"]}, "apiVersion": {"type": "string"}}}}}`
}

// folder creates a folder of files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadSelects(t *testing.T) {
	dir := folder(t, map[string]string{
		"2020-01-01/Acme.Garden.json":         garden("beds"),
		"2020-01-01-preview/Acme.Garden.json": garden("sheds"),
		"2021-01-01/Acme.Other.json":          garden("gates"),
		"2021-01-01/readme.md":                "# not a schema",
	})
	tests := []struct {
		reason           string
		include, exclude []string
		want             []string
	}{
		{"no pattern means all JSON files", nil, nil, []string{"beds", "gates", "sheds"}},
		{"one star stays in a folder", []string{"*/Acme.Garden.json"}, nil, []string{"beds", "sheds"}},
		{"two stars cross folders", []string{"**/*Other*"}, nil, []string{"gates"}},
		{"braces are alternatives", []string{"{2020-01-01,2021-01-01}/*.json"}, nil, []string{"beds", "gates"}},
		{"exclude wins", []string{"**/*.json"}, []string{"*-preview/*", "2021*/**"}, []string{"beds"}},
		{"a file may match twice", []string{"**/*Other.json", "2021*/*.json"}, nil, []string{"gates"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			result, err := Read(context.Background(), Options{Root: dir, Include: test.include, Exclude: test.exclude})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range result.Resources {
				got = append(got, strings.TrimPrefix(r.Type, "Acme.Garden/"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("resources, -want +got:\n%s", diff)
			}
		})
	}
}

func TestReadFails(t *testing.T) {
	dir := folder(t, map[string]string{"2020-01-01/Acme.Garden.json": garden("beds")})
	ended, end := context.WithCancel(context.Background())
	end()
	tests := []struct {
		reason  string
		ctx     context.Context
		options Options
		want    string
	}{
		{"a pattern that is none", context.Background(), Options{Root: dir, Include: []string{"[a"}}, `"[a" is not a glob`},
		{"a pattern to exclude that is none", context.Background(), Options{Root: dir, Exclude: []string{"{a"}}, `"{a" is not a glob`},
		{"nothing matches", context.Background(), Options{Root: dir, Include: []string{"2021*/*"}}, `matches ["2021*/*"]`},
		{"all is excluded", context.Background(), Options{Root: dir, Exclude: []string{"**"}}, "no file below"},
		{"the root is not there", context.Background(), Options{Root: filepath.Join(dir, "absent")}, "list schemas below"},
		{"the context has ended", ended, Options{Root: dir}, context.Canceled.Error()},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			result, err := Read(test.ctx, test.options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if result != nil {
				t.Error("a result beside an error")
			}
		})
	}
}

func TestReadStops(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Split("abcdefghij", "") {
		files["2020-01-01/"+name+".json"] = garden(name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := Read(ctx, Options{Root: folder(t, files), Workers: 1, Progress: func(int, int) {
		calls++
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d files, want it canceled after 1", err, calls)
	}
}

func TestProgress(t *testing.T) {
	dir := folder(t, map[string]string{"a/1.json": "{}", "a/2.json": "not JSON", "b/3.json": "{}"})
	var got [][2]int
	_, err := Read(context.Background(), Options{Root: dir, Workers: 3, Progress: func(done, total int) {
		got = append(got, [2]int{done, total})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][2]int{{1, 3}, {2, 3}, {3, 3}}; !slices.Equal(got, want) {
		t.Errorf("progress %v, want %v: once a file, broken ones too", got, want)
	}
}

// TestWorkers compares the results of one worker and of many, for files that refer to each other
// and share notes and errors.
func TestWorkers(t *testing.T) {
	files := map[string]string{"common/definitions.json": `{"definitions": {"plan": {"type": "object", "minProperties": 1, "properties": {"a": {"$ref": "#/definitions/b"}}}, "b": {"type": "string", "not": {}}}}`}
	for _, name := range strings.Split("abcdefghijklmnop", "") {
		files["2020-01-01/"+name+".json"] = `{"resourceDefinitions": {"x": {"properties": {
			"type": {"const": "Acme.Garden/` + name + `"}, "plan": {"$ref": "../common/definitions.json#/definitions/plan"},
			"next": {"$ref": "a.json#/definitions/n"}, "odd": {"type": "string", "odd": 1}}}},
			"definitions": {"n": {"type": "strin"}, "plan": {}}}`
	}
	dir := folder(t, files)
	run := func(workers int) (string, *source.Result) {
		result, err := Read(context.Background(), Options{Root: dir, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		text.Write(model.Print(result.Resources...))
		text.WriteString(sourcetest.Report(t, result))
		return text.String(), result
	}
	want, _ := run(1)
	for range 5 {
		if got, _ := run(8); got != want {
			t.Fatalf("the result depends on the number of workers:\n%s", cmp.Diff(want, got))
		}
	}
}
