package protofiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"
)

// compiled returns the image of one protobuf file.
func compiled(t *testing.T, text string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "proto"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "proto", "a.proto"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Project{Dir: dir, Config: Config{Proto: []string{"proto"}}}
	image, err := p.Image(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return image
}

const base = `syntax = "proto3";
package example.a.v1;
option go_package = "example.com/a/v1;v1";
service A {
  rpc Get(In) returns (Out) { option idempotency_level = IDEMPOTENT; }
  rpc List(In) returns (stream Out);
}
message In {
  reserved 9;
  string name = 1;
  string token = 2 [debug_redact = true];
  optional int32 size = 3;
  oneof how {
    string a = 4;
    string b = 5;
  }
  message Inner { Color color = 1; }
  Inner inner = 6;
}
message Out { repeated In items = 1; }
enum Color { COLOR_UNSPECIFIED = 0; COLOR_RED = 1; }
`

func TestBreaking(t *testing.T) {
	tests := []struct{ reason, old, new, want string }{
		{"nothing", "", "", ""},
		{"a comment", "message Out", "// An answer.\nmessage Out", ""},
		{"a new field", "string name = 1;", "string name = 1; string more = 7;", ""},
		{"a new field of a oneof", "string b = 5;", "string b = 5; string c = 7;", ""},
		{"a new message", "message Out", "message New {}\nmessage Out", ""},
		{"a new value", "COLOR_RED = 1;", "COLOR_RED = 1; COLOR_BLUE = 2;", ""},
		{"a new method", "rpc List", "rpc Put(In) returns (Out);\n  rpc List", "A.Put is new in a released version: it needs a new version"},
		{"a method that is gone", "  rpc List(In) returns (stream Out);\n", "", "A.List: was (.example.a.v1.In) returns (stream .example.a.v1.Out), IDEMPOTENCY_UNKNOWN and is gone"},
		{"another answer", "Get(In) returns (Out)", "Get(In) returns (In)", "A.Get: was"},
		{"a method that streams no more", "returns (stream Out)", "returns (Out)", "A.List: was"},
		{"a method that streams now", "Get(In) returns (Out)", "Get(In) returns (stream Out)", "A.Get: was"},
		{"a method that may be repeated no more", "{ option idempotency_level = IDEMPOTENT; }", "{}", "A.Get: was"},
		{"another service", "service A", "service B", "A: the service is gone"},
		{"another package", "example.a.v1;\n", "example.b.v1;\n", `package was "example.a.v1" and is "example.b.v1"`},
		{"another Go package", "a/v1;v1", "b/v1;v1", "go_package was"},
		{"a field that is gone", "string name = 1;", "", "In.name: the field 1 is gone"},
		{"a renamed field", "string name = 1;", "string title = 1;", "In.name: was"},
		{"another type", "int32 size", "int64 size", "In.size: was"},
		{"another presence", "optional int32 size", "int32 size", "In.size: was"},
		{"another cardinality", "repeated In items", "In items", "Out.items: was"},
		{"another oneof", "string a = 4;\n", "", "In.a: the field 4 is gone"},
		{"a field that leaves its oneof", "    string b = 5;\n  }", "  }\n  string b = 5;", "In.b: was"},
		{"a secret that is none", " [debug_redact = true]", "", "In.token: was secret and is not"},
		{"a number that was reserved", "reserved 9;", "string nine = 9;", "In.nine has the number 9, which was reserved"},
		{"a message that is gone", "message Inner { Color color = 1; }\n  Inner inner = 6;", "", "In: Inner: the message is gone"},
		{"a value of another number", "COLOR_RED = 1", "COLOR_RED = 2", "Color: the value COLOR_RED = 1 is gone or different"},
		{"an edition", `syntax = "proto3";`, `edition = "2023";`, "syntax was"},
	}
	was := compiled(t, base)
	for _, test := range tests {
		text := strings.Replace(base, test.old, test.new, 1)
		if test.reason == "an edition" {
			text = strings.Replace(text, "optional int32", "int32", 1)
		}
		err := Breaking(was, compiled(t, text))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
	if err := Breaking(was, &descriptorpb.FileDescriptorSet{}); err == nil || err.Error() != "a.proto: the file is gone" {
		t.Errorf("error = %v, want that the file is gone", err)
	}
}

// TestBreakingFeatures changes what a file with an edition sets for itself: each of the changes is
// one of the wire, of the JSON or of the generated code.
func TestBreakingFeatures(t *testing.T) {
	const base = `edition = "2023";
package example.a.v1;
option go_package = "example.com/a/v1;v1";
service A { rpc Get(In) returns (In); }
message In {
  In in = 1;
  int32 size = 2;
  Color color = 3;
}
enum Color { COLOR_UNSPECIFIED = 0; }
`
	was := compiled(t, base)
	for _, test := range []struct{ old, new, want string }{
		{"In in = 1;", "In in = 1 [features.message_encoding = DELIMITED];", "In.in: was"},
		{"size = 2;", "size = 2 [features.field_presence = IMPLICIT];", "In.size: was"},
		{"service A", "option features.message_encoding = DELIMITED;\nservice A", `a.proto: features was "" and is "message_encoding:DELIMITED"`},
		{"In in = 1;", "option features.json_format = LEGACY_BEST_EFFORT;\nIn in = 1;", "a.proto: In: features were"},
		{"enum Color {", "enum Color { option features.enum_type = CLOSED;", "a.proto: Color: features were"},
	} {
		err := Breaking(was, compiled(t, strings.Replace(base, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error = %v, want it to contain %q", test.new, err, test.want)
		}
	}
}

func TestNewest(t *testing.T) {
	newest, err := Newest(compiled(t, base))
	if err != nil || len(newest) != 1 || newest["example.a"] != 1 {
		t.Errorf("newest are %v, %v", newest, err)
	}
	if _, err := Newest(compiled(t, base+"service C {}\n")); err == nil || !strings.Contains(err.Error(), "there is another service of example.a.v1") {
		t.Errorf("error = %v, want that two services have one version", err)
	}
}
