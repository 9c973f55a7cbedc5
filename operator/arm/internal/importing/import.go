package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// ours are the members of specs that are Strata's own.
var ours = []string{"azureName", "owner", "secretRefs"}

// adopt is the annotation that lets the operator take over what exists.
const adopt = "strata.dev/adopt"

// Import is what is to be imported, and how.
type Import struct {
	Client      *rest.Client
	Manifest    *Manifest
	Definitions *Definitions
	Version     string // of the API outside; empty for the newest that is served
	Namespace   string // of the objects; empty for none
	Recursive   bool   // also what lies below, as far as the manifest has its type
	// Progress, if not nil, is told before each call how many resources have been read, and what is read next.
	Progress func(read int, next string)
}

// Result is what was imported.
type Result struct {
	YAML    []byte
	Objects int
	// Notes tell, a line each, what of the resources could not be taken over.
	Notes []string
}

// object is one that is written.
type object struct {
	id    armid.ID
	entry Entry
	spec  map[string]any
	name  string
}

// Run reads all resources and makes YAML of them, sorted by kinds and identifiers. It tells all that is wrong at once, and
// then there is no result. Once the context ends it makes no further call, and its error is the context's.
func (i *Import) Run(ctx context.Context, ids []string) (*Result, error) {
	run := &run{Import: i, seen: map[string]bool{}}
	for _, text := range ids {
		id, err := armid.Parse(text)
		if err == nil && id.IsTenant() {
			err = fmt.Errorf("%q is no identifier of a resource", text)
		}
		if err != nil {
			run.errs = append(run.errs, err)
			continue
		}
		run.start(ctx, id)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := errors.Join(run.errs...); err != nil {
		return nil, err
	}
	return run.result()
}

type run struct {
	*Import
	seen    map[string]bool
	objects []object
	notes   []string
	errs    []error
}

func (r *run) wrong(id armid.ID, err error) {
	if failure := provider.FailureOf(err); failure != nil {
		err = errors.New(failure.GetMessage())
	}
	r.errs = append(r.errs, fmt.Errorf("import %s: %w", id, err))
}

// start imports what a user named. A scope is imported by what it holds, and by itself where the manifest has its type.
func (r *run) start(ctx context.Context, id armid.ID) {
	if isScope := id.Type() == armid.Subscription || id.Type() == armid.ResourceGroup; !isScope || !r.Recursive {
		r.resource(ctx, id)
		return
	}
	if _, err := r.Manifest.choose(id.Type(), r.Version); err == nil {
		r.resource(ctx, id)
	}
	held, err := r.list(ctx, id.Path()+"/resources", resourcesVersion)
	if err != nil {
		r.wrong(id, err)
		return
	}
	for _, one := range held {
		if ctx.Err() != nil {
			return
		}
		if _, err := r.Manifest.choose(one.Type(), ""); err == nil {
			r.resource(ctx, one)
		}
	}
}

// resourcesVersion is that of the list of what a scope holds.
const resourcesVersion = "2021-04-01"

// maxObjects bounds a run.
const maxObjects = 100_000

func (r *run) resource(ctx context.Context, id armid.ID) {
	key := strings.ToLower(id.String())
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	entry, err := r.Manifest.choose(id.Type(), r.Version)
	if err != nil {
		r.wrong(id, err)
		return
	}
	found, err := r.read(ctx, id, entry)
	if err != nil {
		r.wrong(id, err)
		return
	}
	if r.objects = append(r.objects, found); len(r.objects) > maxObjects {
		r.wrong(id, fmt.Errorf("there are more than %d resources", maxObjects))
		return
	}
	if r.Recursive {
		r.children(ctx, id)
	}
}

func (r *run) read(ctx context.Context, id armid.ID, entry Entry) (object, error) {
	schema, err := r.Definitions.spec(entry)
	if err != nil {
		return object{}, err
	}
	answer, err := r.get(ctx, rest.Request{Path: id.Path(), Version: entry.Source.Version})
	if err != nil {
		return object{}, err
	}
	outside, err := body.Object(answer)
	if err != nil {
		return object{}, err
	}
	for _, name := range ours {
		delete(outside, name)
	}
	p := &pruner{}
	pruned, _ := p.prune(nil, outside, schema)
	spec, ok := pruned.(map[string]any)
	if !ok {
		spec = map[string]any{}
	}
	if schema.Properties["azureName"] != nil {
		spec["azureName"] = id.Name()
	}
	if schema.Properties["owner"] != nil {
		spec["owner"] = map[string]any{"armId": id.Parent().String()}
	}
	for _, note := range p.notes {
		r.notes = append(r.notes, id.String()+": "+note)
	}
	return object{id: id, entry: entry, spec: spec}, nil
}

// children imports what lies below a resource.
func (r *run) children(ctx context.Context, id armid.ID) {
	for _, word := range r.Manifest.below(id.Type()) {
		entry, err := r.Manifest.choose(id.Type()+"/"+word, "")
		if err != nil {
			continue // not served
		}
		held, err := r.list(ctx, id.Path()+"/"+word, entry.Source.Version)
		if err != nil {
			r.wrong(id, err)
			continue
		}
		for _, one := range held {
			if ctx.Err() != nil {
				return
			}
			r.resource(ctx, one)
		}
	}
}

// list reads all pages of a list.
func (r *run) list(ctx context.Context, path, version string) ([]armid.ID, error) {
	var ids []armid.ID
	for request := (rest.Request{Path: path, Version: version}); ; {
		answer, err := r.get(ctx, request)
		if err != nil {
			return nil, err
		}
		page, next, err := readPage(answer)
		if err != nil {
			return nil, err
		}
		if ids = append(ids, page...); len(ids) > maxObjects {
			return nil, fmt.Errorf("a list has more than %d resources", maxObjects)
		}
		if next == "" {
			return ids, nil
		}
		if len(page) == 0 && request.URL != nil && request.URL.String() == next {
			return nil, errors.New("a list goes round in circles")
		}
		target, err := r.Client.Resolve(next)
		if err != nil {
			return nil, fmt.Errorf("next page: %w", err)
		}
		request = rest.Request{URL: target}
	}
}

func readPage(answer []byte) ([]armid.ID, string, error) {
	object, err := body.Object(answer)
	if err != nil {
		return nil, "", err
	}
	values, ok := object["value"].([]any)
	if !ok {
		return nil, "", errors.New("an answer is no list")
	}
	var ids []armid.ID
	for _, value := range values {
		member, _ := value.(map[string]any)
		text, _ := member["id"].(string)
		id, err := armid.Parse(text)
		if err != nil || id.IsTenant() {
			return nil, "", fmt.Errorf("a list holds the identifier %q", text)
		}
		ids = append(ids, id)
	}
	next, _ := object["nextLink"].(string)
	return ids, next, nil
}

func (r *run) get(ctx context.Context, request rest.Request) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Progress != nil {
		next := request.Path
		if request.URL != nil {
			next = request.URL.Path
		}
		r.Progress(len(r.objects), next)
	}
	request.Method = http.MethodGet
	answer, err := r.Client.Do(ctx, request)
	if err != nil {
		return nil, provider.Fail(rest.FailureOfCall("read", err))
	}
	if answer.Status != http.StatusOK {
		return nil, provider.Fail(answer.Failure("read"))
	}
	return answer.Body, nil
}

func (r *run) result() (*Result, error) {
	slices.SortFunc(r.objects, func(a, b object) int {
		return cmp.Or(strings.Compare(a.entry.Group, b.entry.Group), strings.Compare(a.entry.Kind, b.entry.Kind),
			strings.Compare(strings.ToLower(a.id.String()), strings.ToLower(b.id.String())))
	})
	name(r.objects)
	result := &Result{Objects: len(r.objects), Notes: r.notes}
	for n, o := range r.objects {
		text, err := r.yaml(o)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", o.id, err)
		}
		if n > 0 {
			result.YAML = append(result.YAML, "---\n"...)
		}
		result.YAML = append(result.YAML, text...)
	}
	slices.Sort(result.Notes)
	return result, nil
}

func (r *run) yaml(o object) ([]byte, error) {
	metadata := map[string]any{"name": o.name, "annotations": map[string]any{adopt: "true"}}
	if r.Namespace != "" {
		metadata["namespace"] = r.Namespace
	}
	encoded, err := body.Encode(map[string]any{
		"apiVersion": o.entry.Group + "/" + o.entry.Version, "kind": o.entry.Kind, "metadata": metadata, "spec": o.spec,
	})
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(encoded)
}

// name gives objects their names: those of the resource and of its parents, with dashes. Where two of a kind would get the
// same, all of them get a part of a digest of their identifiers as well.
func name(objects []object) {
	count := map[[2]string]int{}
	key := func(o object) [2]string { return [2]string{o.entry.Group + "/" + o.entry.Kind, legal(o.id)} }
	for _, o := range objects {
		count[key(o)]++
	}
	for i, o := range objects {
		if objects[i].name = legal(o.id); count[key(o)] > 1 {
			objects[i].name += "-" + digest(o.id)
		}
	}
}

// longestName leaves room for what is appended, in the 63 characters of a label.
const longestName = 50

// legal is a name that Kubernetes allows. One that lost characters gets a part of the digest, so that others that would
// come to the same do not.
func legal(id armid.ID) string {
	joined := strings.Join(id.Names(), "-")
	text := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(joined))
	if len(text) > longestName {
		text = text[:longestName]
	}
	text = strings.Trim(text, "-")
	switch {
	case text == "":
		return "r-" + digest(id)
	case text != strings.ToLower(joined):
		return text + "-" + digest(id)
	}
	return text
}

func digest(id armid.ID) string {
	sum := sha256.Sum256([]byte(strings.ToLower(id.String())))
	return hex.EncodeToString(sum[:3])
}
