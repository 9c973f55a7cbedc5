package conversion

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/manifest"
	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime/convert"
)

// Options are the choices of a user.
type Options struct {
	// To is the API version to which objects are converted, for kinds that To does not name.
	// Versions has those of kinds.
	To       string
	Versions map[string]string
	// Keep stores what a version cannot express in the object, as the webhook does.
	Keep bool
	// Programs convert kinds with hand-written steps; nil for none.
	Programs *Programs
}

// File is a file with manifests, or the text of the standard input.
type File struct {
	Name string
	Text string
	// Targets are, for a list of JSON patch operations, the objects that they change: each has a
	// group, a version and a kind.
	Targets []Target
	// IsPatch means that the file has no whole objects: a kustomization names it as a patch.
	IsPatch bool
}

// Target is what a patch changes.
type Target struct{ Group, Version, Kind string }

// Result is a converted file.
type Result struct {
	File
	// After is the text with converted objects. It equals Text if there is nothing to convert, or
	// if there are errors.
	After string
	// Objects are all objects of the file in their order, as JSON. Those of lists stand alone.
	Objects  []Object
	Messages []diag.Message
}

// Object is an object of a file, before and after.
type Object struct {
	Kind, Name, From, To string
	Before, After        string // JSON
}

// Converted returns the number of objects that changed.
func (r *Result) Converted() int {
	n := 0
	for _, o := range r.Objects {
		if o.Before != o.After {
			n++
		}
	}
	return n
}

// Failed reports whether a part of the file could not be converted.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Messages, func(m diag.Message) bool { return m.Severity == diag.Error })
}

// Convert converts the objects of a file. It changes nothing if one of them fails.
func (p *Plans) Convert(ctx context.Context, file File, o Options) *Result {
	r := &reading{Result: Result{File: file, After: file.Text}, plans: p, options: o}
	docs, err := syntax.Parse(file.Name, []byte(file.Text), syntax.Default)
	if err != nil {
		r.unreadable(err)
		return &r.Result
	}
	edits := make([]edit, len(docs))
	all := make([]*reading, len(docs))
	parallel.For(ctx, len(docs), runtime.GOMAXPROCS(0), func(i int) {
		all[i] = &reading{Result: Result{File: file}, plans: p, options: o}
		edits[i] = all[i].document(ctx, docs[i])
	})
	if ctx.Err() != nil {
		r.Messages = append(r.Messages, diag.Errorf(diag.InFile(file.Name), "%v", ctx.Err()))
		return &r.Result
	}
	var out strings.Builder
	at := 0
	for i, edit := range edits {
		r.Messages, r.Objects = append(r.Messages, all[i].Messages...), append(r.Objects, all[i].Objects...)
		if edit.changed && edit.start >= at && edit.end >= edit.start {
			out.WriteString(file.Text[at:edit.start])
			out.WriteString(edit.made)
			at = edit.end
		}
	}
	if r.Failed() {
		return &r.Result
	}
	out.WriteString(file.Text[at:])
	r.After = out.String()
	return &r.Result
}

// reading is the conversion of one file, or of a document in it.
type reading struct {
	Result
	plans   *Plans
	options Options
}

// unreadable reports a file that is not YAML. Templates of Helm are such files.
func (r *reading) unreadable(err error) {
	var syntaxError *syntax.SyntaxError
	if at := strings.Index(r.Text, "{{"); at >= 0 {
		r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, at, ""), "the file is a template of Helm, whose objects are known only once it is rendered").
			WithHint("convert the output of helm template, and change the template by hand"))
		return
	}
	at := diag.InFile(r.Name)
	if errors.As(err, &syntaxError) && syntaxError.Offset >= 0 {
		at = diag.At(r.Name, syntaxError.Offset, "")
	}
	r.Messages = append(r.Messages, diag.Errorf(at, "%v", err))
}

// change has the new values of parts of a document, and where their values come from.
type change struct {
	doc     *syntax.Value
	root    *tree               // nil if nothing changes
	objects map[string]bool     // by their paths
	origins map[string][]string // within these objects, by paths of the new document
}

// edit is the change of a document. Made replaces the bytes from start to end.
type edit struct {
	start, end int
	made       string
	changed    bool
}

// document converts the objects of a document.
func (r *reading) document(ctx context.Context, doc *syntax.Value) (e edit) {
	c := &change{doc: doc, objects: map[string]bool{}, origins: map[string][]string{}}
	r.objects(ctx, doc, nil, c)
	r.kustomization(ctx, doc, c)
	r.operations(ctx, doc, r.Targets, nil, c)
	if c.root == nil || r.Failed() {
		return edit{}
	}
	value, err := c.root.value()
	if err != nil {
		r.fail(doc.Offset(), "%v", err)
		return edit{}
	}
	e.start, e.end, e.made = manifest.Rewrite(r.Text, doc, value, c.origin)
	if !r.has(e.start, e.made, c.root) {
		r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, doc.Offset(), ""), "the text of the object has a form that cannot be edited, such as a merge key or an alias in what changes").
			WithHint("write the object without anchors, or convert it with -o json"))
		return edit{}
	}
	e.changed = true
	return e
}

// has reports whether a text, which begins at start in the file, is the document that is wanted.
func (r *reading) has(start int, made string, want *tree) bool {
	line := strings.LastIndexByte(r.Text[:start], '\n') + 1
	all, err := syntax.Parse(r.Name, []byte(strings.Repeat(" ", start-line)+made+"\n"), syntax.Default)
	return err == nil && len(all) == 1 && treeOf(all[0]).isEqual(want)
}

func (r *reading) fail(offset int, format string, args ...any) {
	r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, offset, ""), format, args...))
}

// origin returns where the value at a path of the new document was.
func (c *change) origin(path []string) ([]string, bool) {
	if len(c.objects) == 0 {
		return path, true
	}
	at := key(path)
	if from, found := c.origins[at]; found {
		return from, true
	}
	for len(at) > 0 {
		at = at[:max(strings.LastIndexByte(at, 0), 0)]
		if c.objects[at] {
			return nil, false
		}
	}
	return path, true
}

// replace sets a new value at a path.
func (c *change) replace(at []string, value *tree) {
	if c.root == nil {
		c.root = treeOf(c.doc)
	}
	if len(at) == 0 {
		c.root = value
		return
	}
	in := c.root.at(at[:len(at)-1]...)
	if name := at[len(at)-1]; in.kind == syntax.List {
		in.items[indexOf(name)] = value
	} else {
		in.set(name, value)
	}
}

// target returns the version to which a kind is converted. It returns false for a kind that lacks
// the version.
func (o *Options) target(k convert.PlannedKind) (string, bool) {
	to := o.To
	if own, chosen := o.Versions[k.Kind]; chosen {
		to = own
	}
	_, known := versionOf(k, to)
	return to, known
}

// objects converts an object, or those of a list.
func (r *reading) objects(ctx context.Context, v *syntax.Value, at []string, c *change) {
	api, kind := v.Member("apiVersion").Text(), v.Member("kind").Text()
	if api == "" || kind == "" {
		return
	}
	group, version, hasGroup := strings.Cut(api, "/")
	if !hasGroup {
		group, version = "", api
	}
	items := v.Member("items")
	single, isList := strings.CutSuffix(kind, "List")
	if !isList || items.Kind() != syntax.List {
		r.object(ctx, v, at, c, Target{group, version, kind})
		return
	}
	for i, item := range items.All() {
		r.objects(ctx, item, with(with(at, "items"), strconv.Itoa(i)), c)
	}
	if planned, known := r.plans.kind(group, single); known {
		if to, has := r.options.target(planned); has && to != version {
			c.replace(with(at, "apiVersion"), text(group+"/"+to))
		}
	}
}

// object converts an object.
func (r *reading) object(ctx context.Context, v *syntax.Value, at []string, c *change, of Target) {
	before := v.JSON()
	object := Object{Kind: of.Kind, Name: v.Member("metadata").Member("name").Text(), From: of.Version, To: of.Version, Before: before, After: before}
	if j := r.job(v.Member("apiVersion").Offset(), of); j != nil {
		if made := j.convert(ctx, v); made != nil {
			object.To, object.After = j.to, made.JSON()
			c.objects[key(at)] = true
			for to, from := range j.origins {
				c.origins[joined(at, to)] = slices.Concat(at, from)
			}
			c.replace(at, made)
		}
		r.report(j, v, strings.TrimSpace(of.Kind+" "+object.Name))
	}
	r.Objects = append(r.Objects, object)
}

func joined(at []string, below string) string {
	if len(at) == 0 {
		return below
	}
	return key(at) + "\x00" + below
}

// job returns the conversion of an object. It is nil if there is nothing to do, and if it is not
// known how to do it.
func (r *reading) job(offset int, of Target) *job {
	kind, known := r.plans.kind(of.Group, of.Kind)
	if !known {
		if kind, known = r.plans.lacking(of.Group, of.Kind); known {
			if to, has := r.options.target(kind); has && to != of.Version {
				r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, offset, ""), "Strata has generated the CRD of %s, which does not say how its versions correspond", of.Kind).
					WithHint("name the plans that strata generate has written beside the CRD, too:").WithPaste("  strata convert --from api/conversions ...\n"))
			}
		}
		return nil
	}
	to, has := r.options.target(kind)
	switch {
	case !has:
		r.Messages = append(r.Messages, diag.Notef(diag.At(r.Name, offset, ""), "%s has no version %s, and stays as it is", of.Kind, to).WithHint("its versions are %s", namesOf(kind)))
		return nil
	case to == of.Version:
		return nil
	}
	if _, known := versionOf(kind, of.Version); !known {
		r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, offset, ""), "%s has no version %s", of.Kind, of.Version).WithHint("its versions are %s", namesOf(kind)))
		return nil
	}
	j := &job{from: of.Version, to: to, keep: r.options.Keep}
	j.there, j.back = r.plans.routes(of, to, r.options.Programs)
	switch {
	case j.there == nil:
		r.Messages = append(r.Messages, withoutSteps(diag.At(r.Name, offset, ""), of, to))
		return nil
	case j.there.isProgram() && r.IsPatch:
		r.Messages = append(r.Messages, diag.Errorf(diag.At(r.Name, offset, ""), "hand-written steps take part in the conversion of %s from %s to %s, and need the whole object, which a patch is not", of.Kind, of.Version, to).
			WithHint("convert the result of kustomize build, and write the patch by hand"))
		return nil
	}
	return j
}

// withoutSteps is the error of a conversion whose hand-written steps no program has.
func withoutSteps(at diag.Pos, of Target, to string) diag.Message {
	return diag.Errorf(at, "hand-written steps take part in the conversion of %s from %s to %s, which the plans do not contain", of.Kind, of.Version, to).
		WithHint("build the webhook of the project, which has the steps, and name it, or install it as %s%s:", ProgramPrefix, of.Group).
		WithPaste("  go build -o bin/webhook ./cmd/webhook\n  strata convert --converter 'bin/webhook convert' ...\n")
}

// report reports what a conversion could not do.
func (r *reading) report(j *job, v *syntax.Value, name string) {
	for _, p := range j.problems {
		m := diag.Errorf(diag.At(r.Name, p.Offset, ""), "%s: %s", name, p.Text)
		if p.Hint != "" {
			m = m.WithHint("%s", p.Hint)
		}
		r.Messages = append(r.Messages, m)
	}
	for _, path := range j.lost {
		at := diag.At(r.Name, offsetOf(v, path), "")
		if j.keep {
			r.Messages = append(r.Messages, diag.Notef(at, "%s: %s has no property for %s; the object stores it in a property bag", name, j.to, dotted(path)))
			continue
		}
		r.Messages = append(r.Messages, diag.Errorf(at, "%s: %s cannot express %s", name, j.to, dotted(path)).
			WithHint(keepHint))
	}
	for _, d := range j.dropped {
		at := diag.At(r.Name, offsetOf(v, pathOfBag), "")
		r.Messages = append(r.Messages, diag.Errorf(at, "%s: %s cannot express %q of %s, which is hidden in a property bag", name, j.to, d.Key, d.Path).WithHint(keepHint))
	}
}

// keepHint says what to do about a value that a version cannot express.
const keepHint = "remove it, or store it in the object with --keep, as the webhook does"

// offsetOf returns where the value at a path is, or the nearest value around it that the object
// has.
func offsetOf(v *syntax.Value, path []string) int {
	for _, name := range path {
		next := v.Member(name)
		if i := indexOf(name); v.Kind() == syntax.List && i >= 0 && i < len(v.All()) {
			next = v.All()[i]
		}
		if next == nil {
			break
		}
		v = next
	}
	return v.NameOffset()
}
