package crd

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// file is the result of one file.
type file struct {
	release    *Release
	path, name string // path in models; name for opening and messages
	read       source.File
	doc        *document.Document
	found      []*definition
	broken     []source.Broken
	notes      []diag.Message
	others     []other
	positions  positions
	wantsTexts bool // of whole CRDs
}

// positions are the positions of versions in messages.
type positions map[*model.Version]diag.Pos

func (f *file) parse(body []byte, limits syntax.Limits) {
	f.read = document.Digest(f.path, body)
	doc, err := document.Parse(f.path, f.name, body, limits)
	if err != nil {
		f.reject(source.MessageOf(err))
		return
	}
	f.doc = doc
	for _, d := range doc.Values() {
		f.object(d)
	}
	f.noteOthers()
	doc.Forget() // its values are large, and all positions are known
}

// at returns the position of a value for messages.
func (f *file) at(v *syntax.Value) diag.Pos { return f.doc.Where(v.Offset()) }

// named returns the position of a member's name.
func (f *file) named(v *syntax.Value) diag.Pos { return f.doc.Where(v.NameOffset()) }

// pos returns the position of a value for models.
func (f *file) pos(v *syntax.Value) model.Pos { return f.doc.Pos(v.Offset()) }

func (f *file) source(scope string) model.Source {
	return model.Source{Kind: "crd", File: f.path, Scope: scope}
}

// reject records errors of the file that belong to no resource.
func (f *file) reject(messages ...diag.Message) {
	f.broken = append(f.broken, source.Broken{Source: f.source(""), Messages: messages})
}

const (
	apiGroup = "apiextensions.k8s.io"
	kind     = "CustomResourceDefinition"
)

// object reads one Kubernetes object: a CRD, a list of objects, or another object, which gets a
// note.
func (f *file) object(v *syntax.Value) {
	apiVersion, k := v.Member("apiVersion").Text(), v.Member("kind").Text()
	group, version, _ := strings.Cut(apiVersion, "/")
	switch {
	case v.Kind() != syntax.Object || apiVersion == "" || k == "":
		f.others = append(f.others, other{v, "values that are no Kubernetes objects"})
	case k == "List" && apiVersion == "v1" || k == kind+"List" && group == apiGroup:
		for _, item := range v.Member("items").All() {
			f.object(item)
		}
	case k != kind || group != apiGroup:
		f.others = append(f.others, other{v, apiVersion + " " + k})
	case version != "v1":
		f.reject(diag.Errorf(f.at(v.Member("apiVersion")), "%s is not read: its schemas need not be structural", apiVersion).
			WithHint("convert the CRD to apiextensions.k8s.io/v1, which every API server since 1.16 accepts"))
	default:
		f.definition(v)
	}
}

// other is an object that is not a CRD.
type other struct {
	value *syntax.Value
	what  string
}

// noteOthers adds one note for each kind of ignored object, in order of appearance.
func (f *file) noteOthers() {
	if len(f.others) == 0 {
		return
	}
	counts, order := map[string]int{}, []string(nil)
	for _, o := range f.others {
		if counts[o.what]++; counts[o.what] == 1 {
			order = append(order, o.what)
		}
	}
	for i, what := range order {
		if n := counts[what]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d)", what, n)
		}
	}
	f.notes = append(f.notes, diag.Notef(f.at(f.others[0].value), "no CRDs, and ignored: %s", strings.Join(order, ", ")))
	f.others = nil
}
