package conversion

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime/convert"
)

// Patched returns the files of patches that a kustomization names, with the targets that it sets
// for them. File names are relative to the folder of the kustomization.
func Patched(file File) map[string][]Target {
	docs, err := syntax.Parse(file.Name, []byte(file.Text), syntax.Default)
	if err != nil {
		return nil
	}
	out := map[string][]Target{}
	add := func(file *syntax.Value, targets ...Target) {
		if file.Text() != "" {
			name := path.Clean(file.Text())
			out[name] = append(out[name], targets...)
		}
	}
	for _, doc := range docs {
		if !isKustomization(doc) {
			continue
		}
		for _, list := range []string{"patches", "patchesJson6902"} {
			for _, p := range doc.Member(list).All() {
				var targets []Target
				if target := p.Member("target"); target != nil {
					targets = []Target{targetOf(target)}
				}
				add(p.Member("path"), targets...)
			}
		}
		for _, p := range doc.Member("patchesStrategicMerge").All() {
			add(p)
		}
	}
	return out
}

func isKustomization(doc *syntax.Value) bool {
	kind := doc.Member("kind").Text()
	return strings.HasPrefix(doc.Member("apiVersion").Text(), "kustomize.config.k8s.io/") ||
		kind == "" && (doc.Member("patches") != nil || doc.Member("patchesJson6902") != nil || doc.Member("patchesStrategicMerge") != nil)
}

func targetOf(v *syntax.Value) Target {
	return Target{v.Member("group").Text(), v.Member("version").Text(), v.Member("kind").Text()}
}

// kustomization converts the patches that stand in a kustomization, and the versions of their
// targets.
func (r *reading) kustomization(ctx context.Context, doc *syntax.Value, c *change) {
	if !isKustomization(doc) {
		return
	}
	for _, list := range []string{"patches", "patchesJson6902", "patchesStrategicMerge"} {
		for i, p := range doc.Member(list).All() {
			at := []string{list, strconv.Itoa(i)}
			if list == "patchesStrategicMerge" {
				r.inline(ctx, p, nil, at, c)
				continue
			}
			var targets []Target
			if target := p.Member("target"); target != nil {
				targets = []Target{targetOf(target)}
				r.retarget(targets[0], with(at, "target"), c)
			}
			r.inline(ctx, p.Member("patch"), targets, with(at, "patch"), c)
		}
	}
}

// retarget sets the version of a target.
func (r *reading) retarget(of Target, at []string, c *change) {
	kind, known := r.plans.kind(of.Group, of.Kind)
	if !known || of.Version == "" {
		return
	}
	if to, has := r.options.target(kind); has && to != of.Version {
		c.replace(with(at, "version"), text(to))
	}
}

// inline converts a patch that stands in a string.
func (r *reading) inline(ctx context.Context, v *syntax.Value, targets []Target, at []string, c *change) {
	if v.Kind() != syntax.String || !strings.ContainsAny(v.Text(), "\n{[") {
		return // the name of a file
	}
	inner := r.plans.Convert(ctx, File{Name: "patch.yaml", Text: v.Text(), Targets: targets, IsPatch: true}, r.options)
	for _, m := range inner.Messages {
		m.Pos = diag.At(r.Name, v.Offset(), "")
		r.Messages = append(r.Messages, m)
	}
	r.Objects = append(r.Objects, inner.Objects...)
	if inner.After != v.Text() {
		c.replace(at, text(inner.After))
	}
}

// operations converts a list of JSON patch operations.
func (r *reading) operations(ctx context.Context, doc *syntax.Value, targets []Target, at []string, c *change) {
	if doc.Kind() != syntax.List || len(targets) == 0 {
		return
	}
	if slices.ContainsFunc(targets, func(t Target) bool { return t != targets[0] }) {
		r.fail(doc.Offset(), "a kustomization applies the operations to several kinds or versions")
		return
	}
	of := targets[0]
	if of.Version == "" {
		if _, known := r.plans.kind(of.Group, of.Kind); known {
			r.fail(doc.Offset(), "the target of the operations has no version, so that their paths cannot be converted")
		}
		return
	}
	j := r.job(doc.Offset(), of)
	if j == nil {
		return
	}
	for i, op := range doc.All() {
		r.operation(ctx, j, of, op, with(at, strconv.Itoa(i)), c)
	}
}

// operation converts the paths of an operation, and its value.
func (r *reading) operation(ctx context.Context, j *job, of Target, op *syntax.Value, at []string, c *change) {
	for _, name := range []string{"path", "from"} {
		v := op.Member(name)
		if v.Kind() != syntax.String {
			continue
		}
		tokens := tokensOf(v.Text())
		to := j.there.trace(tokens)
		switch to.Outcome {
		case convert.Unknown:
			r.fail(v.Offset(), "%s %s has no property %s", of.Kind, of.Version, dotted(tokens))
			return
		case convert.Hid:
			r.fail(v.Offset(), "%s %s cannot express %s", of.Kind, j.to, dotted(tokens))
			return
		}
		pointer := ""
		for _, token := range to.Path {
			pointer += "/" + escaped(token)
		}
		if pointer != v.Text() {
			c.replace(with(at, name), text(pointer))
		}
		if value := op.Member("value"); name == "path" && value != nil && value.Kind() != syntax.Null {
			r.fragment(ctx, j, of, value, tokens, to.Path, with(at, "value"), c)
		}
	}
}

func tokensOf(pointer string) []string {
	var out []string
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		out = append(out, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return out
}

// fragment converts a value that an operation sets at a path.
func (r *reading) fragment(ctx context.Context, j *job, of Target, v *syntax.Value, path, to, at []string, c *change) {
	if path[0] == "metadata" || path[0] == "apiVersion" || path[0] == "kind" {
		return
	}
	wrapped, first := treeOf(v), func(token string) bool { return token == "-" || indexOf(token) >= 0 }
	for i := len(path) - 1; i >= 0; i-- {
		if first(path[i]) {
			wrapped = &tree{kind: syntax.List, items: []*tree{wrapped}}
		} else {
			wrapped = &tree{kind: syntax.Object, members: []member{{path[i], wrapped}}}
		}
	}
	wrapped.set("apiVersion", text(of.Group+"/"+of.Version))
	wrapped.set("kind", text(of.Kind))
	object, err := wrapped.value()
	if err != nil {
		r.fail(v.Offset(), "%v", err)
		return
	}
	one := *j
	one.problems, one.lost = nil, nil
	made := one.convert(ctx, object)
	for _, p := range one.problems {
		r.fail(v.Offset(), "%s: %s", of.Kind, p.Text)
	}
	for _, lost := range one.lost {
		r.fail(v.Offset(), "%s %s cannot express %s", of.Kind, one.to, dotted(lost))
	}
	if made == nil || len(one.lost) > 0 {
		return
	}
	place := slices.Clone(to)
	for i, token := range place {
		if first(token) {
			place[i] = "0"
		}
	}
	if value := made.at(place...); value != nil && !value.isEqual(treeOf(v)) {
		c.replace(at, value)
	}
}
