package olderobjects_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratakube/strata/tools/e2e/crds"
)

// Counts of what is drawn for each version, and of edits for each object.
const (
	drawn = 24
	tried = 12
)

// project is what is tested: CRDs with the webhook that converts their objects, and what `strata
// check` lists.
type project struct {
	converter
	crds     string // the folder of the generated CRDs
	requires []requirement
	least    int // objects that each version must have

	objects, labels, allowed, refused int
	fieldsTranslated, fieldsStepped   int
	faults                            map[string]int       // by kind
	met                               map[requirement]bool // those that some object violates
}

// run tests all kinds of the project.
func (p *project) run(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(p.crds, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		k := crds.Read(t, file)
		t.Run(k.Spec.Names.Kind, func(t *testing.T) { p.kind(t, k) })
	}
	t.Logf("%d objects: %d labels, %d edits, and %d edits that a listed requirement refuses", p.objects, p.labels, p.allowed, p.refused)
	t.Logf("the ownership of %d fields was translated, and that of %d fields follows from steps", p.fieldsTranslated, p.fieldsStepped)
}

// ages returns the served API versions, the oldest first. Previews precede what they preview.
func ages(k *crds.Kind) []string {
	key := func(name string) string {
		parts := regexp.MustCompile(`^v(\d+)([a-z]*)(\d*)$`).FindStringSubmatch(name)
		if parts == nil {
			return name
		}
		if parts[2] == "" {
			parts[2] = "~"
		}
		return fmt.Sprintf("%12s %s %12s", parts[1], parts[2], parts[3])
	}
	out := slices.Clone(k.Versions)
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	return out
}

func (p *project) kind(t *testing.T, k *crds.Kind) {
	servers := map[string]*crds.Server{}
	for _, version := range k.Versions {
		s, err := crds.NewServer(k.Version(version))
		if err != nil {
			t.Fatal(err)
		}
		servers[version] = s
	}
	versions, fields := ages(k), crds.NewFields(t, filepath.Join(filepath.Dir(p.crds), "histories"), k)
	for i, first := range versions {
		for n, object := range p.draw(t, k, first, servers[first]) {
			stored := p.convert(t, object, k.Spec.Group+"/"+k.Hub)
			for j, then := range versions {
				if then == first {
					continue
				}
				converted := p.convert(t, stored, k.Spec.Group+"/"+then)
				w := &written{
					project: p, T: t, Kind: k, Server: servers[then], first: first, version: then,
					seen: servers[then].Read(converted), later: versions[i+1 : max(i, j)+1],
				}
				w.label()
				w.owned(fields, object, converted)
				if i < j {
					w.latent()
					w.edit(rand.New(rand.NewPCG(uint64(n), uint64(j))))
				}
			}
		}
	}
}

// draw returns valid objects of a version.
func (p *project) draw(t *testing.T, k *crds.Kind, version string, s *crds.Server) (all []map[string]any) {
	t.Helper()
	root := k.Schema(version)
	var last field.ErrorList
	for seed := range uint64(drawn) {
		object := crds.NewDrawer(seed, []float64{0, 0.3, 0.6, 1}[seed%4]).Object(root)
		object["apiVersion"], object["kind"] = k.Spec.Group+"/"+version, k.Spec.Names.Kind
		object["metadata"] = map[string]any{"name": fmt.Sprintf("o-%d", seed)}
		object = s.Read(object)
		for range 40 {
			if last = s.Create(t.Context(), object); len(last) == 0 {
				break
			}
			repair(object, last)
			object = s.Read(object)
		}
		if len(last) == 0 {
			all = append(all, object)
		}
	}
	if len(all) < p.least {
		t.Errorf("%s: only %d objects are valid: the last one is not because of %v", version, len(all), last)
	}
	p.objects += len(all)
	return all
}

// repair removes what is refused, or else the object around it.
func repair(object map[string]any, errs field.ErrorList) {
	for _, err := range errs {
		steps := stepsOf(err.Field)
		if err.Type == field.ErrorTypeRequired || strings.HasPrefix(err.Detail, "must validate") {
			steps = steps[:max(0, len(steps)-1)]
		}
		if len(steps) > 1 && !remove(object, steps) {
			remove(object, steps[:len(steps)-1])
		}
	}
}

// stepsOf splits the path of an error.
func stepsOf(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// remove removes a member, or empties the list that an element is in. It reports whether it was
// there.
func remove(value any, steps []string) bool {
	switch v := value.(type) {
	case map[string]any:
		member, has := v[steps[0]]
		if list, is := member.([]any); has && is && len(steps) == 2 && len(list) > 0 {
			v[steps[0]] = list[:len(list)-1]
			return true
		}
		if !has || len(steps) > 1 {
			return has && remove(member, steps[1:])
		}
		delete(v, steps[0])
		return true
	case []any:
		var i int
		if _, err := fmt.Sscan(steps[0], &i); err != nil || i >= len(v) || len(steps) == 1 {
			return false
		}
		return remove(v[i], steps[1:])
	}
	return false
}

// written is an object that one version created and that another one writes.
type written struct {
	*project
	*testing.T
	*crds.Kind
	*crds.Server
	first, version string
	later          []string // versions after the first one, up to the one that writes
	seen           map[string]any
	wrong          map[string]bool // what a creation would be refused for
}

// mostFaults is how many faults of a kind are printed.
const mostFaults = 5

func (w *written) fault(format string, args ...any) {
	w.Helper()
	w.faults[w.Spec.Names.Kind]++
	if w.faults[w.Spec.Names.Kind] <= mostFaults {
		w.Errorf("%s of %s through %s: %s\n%s", w.seen["metadata"], w.first, w.version, fmt.Sprintf(format, args...), short(w.seen))
	}
}

// short returns the beginning of an object.
func short(object map[string]any) string { return fmt.Sprintf("%.1000s", fmt.Sprint(object)) }

// label changes nothing but metadata, which every version must allow.
func (w *written) label() {
	labelled := runtime.DeepCopyJSON(w.seen)
	labelled["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
	w.labels++
	if errs := w.Update(w.Context(), labelled, w.seen); len(errs) > 0 {
		w.fault("a label is refused: %v", errs)
	}
}

// latent checks that `strata check` lists all that the version does not allow in the object, and
// that no rule reads a member that older objects lack.
func (w *written) latent() {
	w.wrong = map[string]bool{}
	for _, err := range w.breaks(w.seen) {
		if w.wrong[keyOf(err)] {
			continue
		}
		w.wrong[keyOf(err)] = true
		listed := false
		for _, r := range w.requires {
			if r.explains(w, err) {
				listed, w.met[r] = true, true
			}
		}
		if !listed {
			w.fault("strata check does not list %v", err)
		}
		if slices.ContainsFunc(w.requires, func(r requirement) bool { return r.lacks(w, err) }) {
			w.fault("a rule has no guard: %v", err)
		}
	}
}

// breaks returns what the version does not allow in an object.
func (w *written) breaks(object map[string]any) field.ErrorList {
	return append(w.Create(w.Context(), object), w.Rules(w.Context(), object)...)
}

// keyOf distinguishes errors. The messages of schemas begin with a path that depends on whether the
// whole object is validated or its status.
func keyOf(err *field.Error) string {
	detail := err.Detail
	if _, after, is := strings.Cut(detail, " in body "); is {
		detail = after
	}
	return err.Field + ": " + string(err.Type) + ": " + detail
}

// edit edits spec and status. What refuses an edit is what the object was refused for already, or
// what is wrong with the edit.
func (w *written) edit(random *rand.Rand) {
	all := editsOf(w.seen, w.Schema(w.version), random)
	for _, by := range all[:min(len(all), tried)] {
		object := w.Read(edited(w.seen, by))
		errs := w.Update(w.Context(), object, w.seen)
		if sub := w.Version(w.version).Subresources; sub != nil && sub.Status != nil {
			errs = append(errs, w.UpdateStatus(w.Context(), object, w.seen)...)
		}
		if len(errs) == 0 {
			w.allowed++
			continue
		}
		own := map[string]bool{}
		for _, err := range w.breaks(object) {
			own[keyOf(err)] = true
		}
		w.judge(object, errs, own)
	}
}

// judge checks that each error is about what was wrong before the edit, about the edit, or of a
// rule about changes.
func (w *written) judge(object map[string]any, errs field.ErrorList, own map[string]bool) {
	latent := false
	for _, err := range errs {
		key := keyOf(err)
		latent = latent || w.wrong[key]
		if !w.wrong[key] && !own[key] && (missing(err) != "" || err.Type != field.ErrorTypeInvalid && err.Type != field.ErrorTypeForbidden) {
			w.fault("an edit is refused: %v\n%s", err, short(object))
		}
	}
	if latent {
		w.refused++
	}
}
