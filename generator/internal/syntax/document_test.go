package syntax_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/syntax"
)

func parse(t *testing.T, name, text string) []*syntax.Value {
	t.Helper()
	all, err := syntax.Parse(name, []byte(text), syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParse(t *testing.T) {
	tests := []struct{ reason, name, text, want string }{
		{"JSON is read with its numbers as they are", "x.json", `{"a": 1.50, "b": ["\u0041", null, true]}`, `{"a":1.50,"b":["A",null,true]}`},
		{"YAML is read as the clients of Kubernetes read it", "x.yaml", "a: on\nb: 'on'\nc: 0x10\nd: ~\ne: 1e3\nf: 2020-01-01\n", `{"a":true,"b":"on","c":16,"d":null,"e":1e3,"f":"2020-01-01"}`},
		{"documents follow one another, and empty ones do not count", "x.yml", "---\n# nothing\n---\na: 1\n---\n---\nb: 2\n", `{"a":1} {"b":2}`},
		{"a merge key adds what is not there", "x.yaml", "a: &a {x: 1, y: 2}\nb:\n  <<: [*a, {z: 4}]\n  x: 3\n", `{"a":{"x":1,"y":2},"b":{"x":3,"y":2,"z":4}}`},
		{"letters that browsers fear stay", "x.yaml", "a: '<&>'\n", `{"a":"<&>"}`},
	}
	for _, tt := range tests {
		var texts []string
		for _, d := range parse(t, tt.name, tt.text) {
			texts = append(texts, d.JSON())
		}
		if got := strings.Join(texts, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	limits := syntax.Limits{Size: 1000, Depth: 20, Values: 100}
	bomb := "a: &a [x, x, x, x]\n"
	for c := 'b'; c < 'f'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1)
	}
	tests := []struct{ reason, name, text, want string }{
		{"a file has a size", "x.yaml", strings.Repeat("#", 1001), "the file has 1001 bytes, more than the limit of 1000"},
		{"values stand only so deep in one another", "x.yaml", strings.Repeat("[", 30) + strings.Repeat("]", 30), "nested deeper than 20"},
		{"so they do in JSON", "x.json", strings.Repeat("[", 30) + strings.Repeat("]", 30), "more than 20 deep"},
		{"what anchors multiply is counted", "x.yaml", bomb, "more than 100 values"},
		{"a member stands once in an object", "x.yaml", "a: 1\nb: 2\na: 3\n", `the member "a" appears twice in one object`},
		{"names are plain", "x.yaml", "[1]: 2\n", "a member's name must be a plain word"},
		{"numbers are those of JSON", "x.yaml", "a: .inf\n", `".inf" is no number of JSON`},
	}
	for _, tt := range tests {
		_, err := syntax.Parse(tt.name, []byte(tt.text), limits)
		var syntax *syntax.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.reason, err, tt.want)
		}
	}
}

func TestPointer(t *testing.T) {
	const text = "a:\n  b/c:\n  - x\n  - y: 1\n    z: 2\n---\nsecond: 3\n"
	all := parse(t, "x.yaml", text)
	tests := []struct{ reason, at, want string }{
		{"a value deep inside", "2\n---", "/a/b~1c/1/z"},
		{"a name", "z:", "/a/b~1c/1/z"},
		{"the outermost of those that begin there", "y:", "/a/b~1c/1"},
		{"a value of another document", "3", "/second"},
		{"the document", "a:", ""},
	}
	for _, tt := range tests {
		if got := syntax.Pointer(all, strings.Index(text, tt.at)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func TestAbsentValues(t *testing.T) {
	var v *syntax.Value
	if v.Kind() != syntax.Absent || v.Member("a").Member("b").Text() != "" || v.JSON() != "null" || v.IsTrue() || v.Number() != "" || len(v.All()) != 0 || v.Name() != "" || v.Offset() != 0 || v.NameOffset() != 0 {
		t.Error("a value that is not there says something")
	}
}
