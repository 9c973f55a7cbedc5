package conversion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// Problem is why a value, or a whole object, is not converted.
type Problem struct {
	Path   []string // of the value in the object
	Offset int      // in the file
	Text   string
	Hint   string
}

// job is the conversion of one object.
type job struct {
	there, back *route
	from, to    string
	keep        bool

	origins   map[string][]string // by paths of the result
	hidden    [][]string          // paths of values that plans put into property bags
	deferrals []deferral
	problems  []Problem
	lost      [][]string // paths of values that the other version cannot express
	dropped   []Stored   // values of the object's property bag that the other version cannot express
}

// deferral is a value that the engine does not convert: a null, or a directive of a patch. Path is
// the path of the object around it, and Name its name there, in the result.
type deferral struct {
	path  []string
	name  string
	value *tree
}

// convert returns the object in the other version; nil if there are problems.
func (j *job) convert(ctx context.Context, v *syntax.Value) *tree {
	source, result, err := j.run(ctx, v)
	if err != nil {
		j.problems = append(j.problems, Problem{nil, v.Offset(), err.Error(), ""})
	}
	if result == nil {
		return nil
	}
	if j.there.isProgram() {
		j.pair(source, result)
	}
	for _, a := range j.deferrals {
		if in := result.within(a.path); in != nil {
			in.set(a.name, a.value)
		}
	}
	if err := j.strip(ctx, source, result); err != nil {
		j.problems = append(j.problems, Problem{nil, v.Offset(), err.Error(), ""})
		return nil
	}
	return result
}

// run converts an object without what is set aside. It returns the object as the engine gets it,
// and the result, which is nil if there are problems.
func (j *job) run(ctx context.Context, v *syntax.Value) (source, result *tree, err error) {
	j.origins = map[string][]string{}
	source = treeOf(v)
	j.visit(v, source, nil)
	if len(j.problems) > 0 {
		return nil, nil, nil
	}
	roomy := source.clone()
	bare := source.member("metadata") == nil
	if bare {
		roomy.set("metadata", &tree{kind: syntax.Object})
	}
	j.makeRoom(roomy)
	if result, err = j.there.convert(ctx, roomy); err != nil {
		return nil, nil, err
	}
	j.prune(treeOf(v), result)
	if meta := result.member("metadata"); bare && meta != nil && len(meta.members) == 0 {
		result.remove("metadata")
	}
	return source, result, nil
}

// prune removes objects from the result that are empty because all of their members moved to other
// objects.
func (j *job) prune(written, result *tree) {
	var paths [][]string
	for to := range j.origins {
		paths = append(paths, strings.Split(to, "\x00"))
	}
	slices.SortFunc(paths, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	for _, path := range paths {
		in, was := result.at(path[:len(path)-1]...), written.at(j.origins[key(path)]...)
		if len(path) < 2 || in == nil || in.kind != syntax.Object || was == nil || len(was.members) == 0 {
			continue
		}
		if is := in.member(path[len(path)-1]); is != nil && is.kind == syntax.Object && len(is.members) == 0 {
			in.remove(path[len(path)-1])
		}
	}
}

// makeRoom creates the objects around properties that move to another object. The engine moves a
// property only to an object that the source has.
func (j *job) makeRoom(source *tree) {
	for to := range j.origins {
		path := strings.Split(to, "\x00")
		for n := 2; n < len(path); n++ {
			if _, has := j.origins[key(path[:n])]; has {
				continue
			}
			if from := j.back.trace(path[:n]); from.Outcome == convert.Copied && source.at(from.Path...) == nil {
				source.within(from.Path)
			}
		}
	}
}

// visit follows each value to the other version, and sets aside what the engine does not convert.
func (j *job) visit(v *syntax.Value, source *tree, path []string) {
	for i, item := range v.All() {
		switch v.Kind() {
		case syntax.List:
			j.value(item, source.items[i], nil, with(path, strconv.Itoa(i)))
		case syntax.Object:
			j.value(item, source.member(item.Name()), source, with(path, item.Name()))
		}
	}
}

func (j *job) value(v *syntax.Value, value, in *tree, path []string) {
	name := path[len(path)-1]
	if in != nil && isDirective(name) && len(path) > 1 {
		if j.there.isProgram() {
			j.problems = append(j.problems, Problem{path, v.Offset(), "hand-written steps need the whole object, which a patch is not", ""})
			return
		}
		j.directive(value, name, path[:len(path)-1])
		in.remove(name)
		return
	}
	to := j.there.trace(path)
	switch to.Outcome {
	case convert.Unknown:
		j.problems = append(j.problems, Problem{path, v.Offset(), fmt.Sprintf("%s has no property %s", j.from, dotted(path)), ""})
		return
	case convert.Hid: // compare names it
		j.hidden = append(j.hidden, path)
	default:
		if _, again := j.origins[key(to.Path)]; !again {
			j.origins[key(to.Path)] = path
		}
	}
	if v.Kind() == syntax.Null && !to.Free {
		if in == nil {
			j.problems = append(j.problems, Problem{path, v.Offset(), "a list element is null", "remove the element"})
			return
		}
		in.remove(name)
		if to.Outcome == convert.Copied || to.Outcome == convert.Changed {
			j.deferrals = append(j.deferrals, deferral{to.Path[:len(to.Path)-1], to.Path[len(to.Path)-1], value})
		}
		return
	}
	j.visit(v, value, path)
	if to.Outcome == convert.Hid && in != nil && v.Kind() == syntax.Object && len(v.All()) > 0 && len(value.members) == 0 {
		in.remove(name) // all of its members are set aside
	}
}

// isDirective reports whether a member is a directive of a strategic merge patch.
func isDirective(name string) bool {
	word, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"}, word)
}

// directive sets a directive aside. One that names a property of its object gets the name that the
// other version has.
func (j *job) directive(value *tree, name string, path []string) {
	to := j.there.trace(path)
	if to.Outcome == convert.Hid || to.Outcome == convert.Unknown {
		return
	}
	renamed := func(name string) string {
		inner := j.there.trace(with(path, name))
		if inner.Outcome <= convert.Changed && len(inner.Path) == len(to.Path)+1 {
			return inner.Path[len(inner.Path)-1]
		}
		return name
	}
	word, of, names := strings.Cut(name, "/")
	if names {
		word += "/" + renamed(of)
	}
	if word == "$retainKeys" {
		for i, item := range value.items {
			if of, err := strconv.Unquote(item.json); err == nil {
				value.items[i] = text(renamed(of))
			}
		}
	}
	j.origins[key(with(to.Path, word))] = with(path, name)
	j.deferrals = append(j.deferrals, deferral{to.Path, word, value})
}

// strip removes the hidden values from the result, unless they are to be kept, and lists what is
// lost.
func (j *job) strip(ctx context.Context, source, result *tree) error {
	plain := result.clone()
	status, annotations := plain.member("status"), plain.at("metadata", "annotations")
	if !j.there.isProgram() && status.member(model.PropertyBag) == nil && annotations.member(runtime.BagAnnotation) == nil {
		return nil
	}
	if status.drop(model.PropertyBag); status != nil && len(status.members) == 0 && source.member("status") == nil {
		plain.remove("status")
	}
	if annotations.drop(runtime.BagAnnotation); annotations != nil && len(annotations.members) == 0 && source.at("metadata", "annotations") == nil {
		plain.member("metadata").remove("annotations")
	}
	if !j.keep {
		kept := *result
		*result = *plain
		again, err := j.compare(ctx, source, plain)
		if err != nil {
			return err
		}
		return j.compareBags(ctx, source, &kept, again)
	}
	if j.there.isProgram() {
		if _, err := j.compare(ctx, source, result); err != nil || len(j.lost) > 0 {
			return cmp.Or(err, j.unkept())
		}
	}
	_, err := j.compare(ctx, source, plain)
	return err
}

// unkept returns the error of a program whose result lacks values, also in property bags.
func (j *job) unkept() error {
	path := j.lost[0]
	j.lost = nil
	return fmt.Errorf("%s loses %s: the value does not come back from its property bags", j.there.program, dotted(path))
}

// compare converts the result back without hidden values, and returns what comes back. What the
// source has and does not come back is lost.
func (j *job) compare(ctx context.Context, source, result *tree) (*tree, error) {
	again, err := j.restore(ctx, result)
	if err != nil {
		return nil, err
	}
	for _, m := range source.members {
		if m.name != "apiVersion" && m.name != "kind" && m.name != "metadata" {
			j.missing(m.value, again.member(m.name), []string{m.name})
		}
	}
	return again, nil
}

// restore converts a result back to the version of the source.
func (j *job) restore(ctx context.Context, result *tree) (*tree, error) {
	value, err := result.value()
	if err != nil {
		return nil, err
	}
	back := job{there: j.back, back: j.there, from: j.to, to: j.from}
	_, again, err := back.run(ctx, value)
	if err != nil {
		return nil, err
	}
	if again == nil {
		return nil, errors.New(back.problems[0].Text)
	}
	return again, nil
}

// compareBags lists the values of the source's property bag that come back from the result with its
// own bag, and are not in what came back without it. The visible values are left to compare.
func (j *job) compareBags(ctx context.Context, source, kept, without *tree) error {
	known, err := hiddenIn(source)
	if err != nil || len(known) == 0 {
		return err
	}
	restored, err := j.restore(ctx, kept)
	if err != nil {
		return err
	}
	all, err := hiddenIn(restored)
	if err != nil {
		return err
	}
	left, err := hiddenIn(without)
	if err != nil {
		return err
	}
	for _, c := range stored(all, left) {
		if c.Before != "" {
			j.dropped = append(j.dropped, Stored{c.Path, c.Key, c.Before})
		}
	}
	return nil
}

// drop removes a member; a nil object has none.
func (t *tree) drop(name string) {
	if t != nil {
		t.remove(name)
	}
}

// missing lists the values of the source that did not come back.
func (j *job) missing(was, is *tree, path []string) {
	switch {
	case isBag(path): // compareBags compares its values
	case is == nil && was.kind == syntax.Object && len(was.members) == 0 && j.there.trace(path).Outcome == convert.Copied:
	case is == nil, was.kind != is.kind, was.kind == syntax.List && len(was.items) != len(is.items):
		j.lost = append(j.lost, path)
	case was.kind == syntax.Object:
		for _, m := range was.members {
			j.missing(m.value, is.member(m.name), with(path, m.name))
		}
	case was.kind == syntax.List:
		for i := range was.items {
			j.missing(was.items[i], is.items[i], with(path, strconv.Itoa(i)))
		}
	case was.json != is.json && !(was.kind == syntax.Number && isSameNumber(was.json, is.json)):
		j.lost = append(j.lost, path)
	}
}

// isBag reports whether a path is that of the hidden values. Each version has others.
func isBag(path []string) bool { return slices.Equal(path, pathOfBag) }

// pathOfBag is where most objects have their hidden values.
var pathOfBag = []string{"status", model.PropertyBag}

// isSameNumber reports whether two spellings are of one number.
func isSameNumber(a, b string) bool {
	x, isNumber := new(big.Rat).SetString(a)
	y, isOther := new(big.Rat).SetString(b)
	return isNumber && isOther && len(a) < maxNumber && len(b) < maxNumber && x.Cmp(y) == 0
}

// maxNumber is the length of numbers that are compared by value.
const maxNumber = 64

// refusals explains why the engine does not convert an object.
func refusals(why convert.Refusal) string {
	switch why {
	case convert.WrongType:
		return "a value has another type than its schema names"
	case convert.OpenObject:
		return "the plans have no rule for the additional members of an object"
	case convert.ReservedName:
		return "a name has a meaning in stored objects"
	case convert.RareSpelling:
		return "a name or a value is spelled in a form that the plans do not support"
	case convert.DamagedStatusBag, convert.UnclearBag, convert.Unplaced, convert.RawValues, convert.OriginalVersion:
		return "the object has hidden values that only the webhook can restore (" + why.String() + ")"
	case convert.TooLarge, convert.TooDeep:
		return "the object is too large, or nested too deeply"
	}
	return "the plans do not support the object (" + why.String() + ")"
}

func with(path []string, name string) []string { return append(path[:len(path):len(path)], name) }

func key(path []string) string { return strings.Join(path, "\x00") }

func indexOf(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil {
		return -1
	}
	return i
}

// dotted returns a path as messages show it.
func dotted(path []string) string {
	var b strings.Builder
	for i, name := range path {
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			b.WriteString("[" + name + "]")
		case strings.ContainsAny(name, `.[]"/`) || name == "":
			b.WriteString("[" + strconv.Quote(name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(name)
		}
	}
	return b.String()
}
