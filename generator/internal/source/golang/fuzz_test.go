package golang

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/loader"
)

// FuzzMarker checks that no comment makes the reader panic, wherever it is, and that every error of
// a marker of Strata is reported.
func FuzzMarker(f *testing.F) {
	for _, seed := range []string{
		"strata:added:since=v1", "strata:changed:since=v1,fromType=\"[]string\"", "strata:changed:fromName={", "strata:version:name=",
		"strata:resource:shortNames=a;b;{c", "strata:added:since=`", "kubebuilder:default={a:1,", "kubebuilder:validation:Enum=;", "strata:", "strata", "listMapKey",
		"default=ref(", "default={", "kubebuilder:validation:XValidation:rule=\"", "strata:added=:since", "groupName", "enum=1",
	} {
		f.Add(seed)
	}
	registry, err := newRegistry()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r\x00") {
			t.Skip("not this case: a marker is one line")
		}
		marker := "// +" + text
		body := marker + "\npackage p\n\n" + marker + "\n\n" + marker + "\ntype T struct {\n\t" + marker + "\n\tA string `json:\"a\"`\n}\n\nconst (\n\t" + marker + "\n\tC = \"c\"\n)\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", body, parser.ParseComments)
		if err != nil {
			t.Skipf("not this case: %v", err)
		}
		r := &reader{fset: fset, registry: registry, own: map[string]bool{"p.go": true}, known: map[*loader.Package]*packageComments{}}
		c := r.commentsOf(file)
		read := len(c.pkg)
		for _, remark := range c.byIdent {
			read += len(remark.markerUses)
		}
		if strings.HasPrefix(text, ours) && read == 0 && len(r.reported.Messages()) == 0 {
			t.Errorf("%q is neither read nor an error", text)
		}
	})
}
