package olderobjects_test

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/tools/e2e/crds"
)

// owned checks that the owner of all fields of an object, in the version that created it, has all
// of them in the other version. Object is as the conversion returns it.
func (w *written) owned(f crds.Fields, created, object map[string]any) {
	have := f.Of(w.T, w.version, object)
	translated, err := f.Histories.Translate(f.Of(w.T, w.first, created), w.first, w.version)
	if err != nil {
		w.Fatal(err)
	}
	w.fieldsTranslated += have.Size()
	w.fieldsStepped += translated.Stepped.Size()
	got := translated.Over(have).Difference(crds.None).Leaves()
	without := have.Difference(got).Difference(empty(object))
	switch {
	case !translated.Stepped.Empty(): // only a conversion shows what steps derive
		got = got.Union(without).Leaves()
	case !without.Empty():
		w.fault("nobody owns %v\nlost %v", without, translated.Lost)
	}
	if beyond := got.Difference(have); !beyond.Empty() {
		w.fault("the object has no %v\nof %v", beyond, translated.Whole)
	}
}

// empty returns the lists of an object's spec that have no elements. No manager owns one whose
// elements have owners, unlike a list that has an owner as a whole.
func empty(object map[string]any) *fieldpath.Set {
	out := fieldpath.NewSet()
	spec, _ := object["spec"].(map[string]any)
	for name, value := range spec {
		if list, is := value.([]any); is && len(list) == 0 {
			out.Insert(fieldpath.MakePathOrDie("spec", name))
		}
	}
	return out
}
