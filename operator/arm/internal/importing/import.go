package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	"github.com/stratakube/strata/operator/plugin/member"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// ours are the members of specs that are Strata's own.
var ours = []string{member.AzureName, member.Owner, member.SecretRefs}

// oursLater are members of specs that are Strata's own where the kind has no property of that name,
// by what theirs have in them.
var oursLater = map[string]func(*schema) bool{
	member.ConfigMapRefs: func(s *schema) bool {
		return s.Items != nil && s.Items.Properties["path"] != nil && s.Items.Properties["key"] != nil
	},
	member.Outputs: func(s *schema) bool { return s.Properties["secrets"] != nil && s.Properties["configMaps"] != nil },
}

// adopt is the annotation that lets the operator adopt a resource that exists.
const adopt = "strata.dev/adopt"

// Import is what is to be imported, and how.
type Import struct {
	Client      *rest.Client
	Manifest    *Manifest
	Definitions *Definitions
	Version     string     // of the external API; empty for the newest that is served
	Namespace   string     // of the objects; empty for none
	Recursive   bool       // also what lies below, as far as the manifest has its type
	Scopes      []armid.ID // subscriptions and resource groups, of which all is imported that they hold
	Query       string     // of Resource Graph: of what is found, all is imported; within the scopes, if there are any
	Progress    Progress   // is called before each call and for each object; may be nil
}

// Result is what was imported.
type Result struct {
	// Objects are in order of ownership, owners first.
	Objects []Object
	// Notes report, a line each, what of the resources could not be imported.
	Notes []string
	// IsIncomplete reports whether there are resources that the external API should have returned,
	// and has not. The objects may be written all the same.
	IsIncomplete bool
}

// Object is one that is written.
type Object struct {
	Group, Kind, Name string
	Level             int // how many owners it has among the objects
	YAML              []byte
}

// object is what becomes an Object.
type object struct {
	id    armid.ID
	entry Entry
	spec  map[string]any
	name  string
	level int
}

// Run reads all resources and makes YAML of them, sorted by ownership, kinds and identifiers. It
// reports all errors at once, and then there is no result. Once the context ends it makes no
// further call, encodes no further object, and returns the context's error.
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
	run.scopes(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := errors.Join(run.errs...); err != nil {
		return nil, err
	}
	return run.result(ctx)
}

type run struct {
	*Import
	seen    map[string]bool
	objects []object
	notes   []string
	errs    []error

	isIncomplete bool
}

func (r *run) wrong(id armid.ID, err error) {
	if failure := provider.FailureOf(err); failure != nil {
		err = errors.New(failure.GetMessage())
	}
	r.errs = append(r.errs, fmt.Errorf("import %s: %w", id, err))
}

// refusal is an answer of the cloud that is an error.
type refusal struct {
	status        int
	code, message string
}

func (e *refusal) Error() string { return e.message }

// absences are codes of answers about types, or about API versions of them, that a cloud does not
// have.
var absences = []string{"InvalidResourceType", "InvalidResourceNamespace", "NoRegisteredProviderFound", "InvalidApiVersionParameter", "MissingSubscriptionRegistration"}

// isAbsence reports whether the cloud does not have, or does not give out, what was asked for.
func (e *refusal) isAbsence() bool {
	switch e.status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return slices.Contains(absences, e.code)
}

// start imports what a user named. A scope is imported by what it holds, and by itself where the
// manifest has its type.
func (r *run) start(ctx context.Context, id armid.ID) {
	if isScope := id.Type() == armid.Subscription || id.Type() == armid.ResourceGroup; !isScope || !r.Recursive {
		r.resource(ctx, id)
		return
	}
	r.scope(ctx, id)
}

// scopes imports what scopes hold, or what a query finds in them.
func (r *run) scopes(ctx context.Context) {
	if r.Query == "" {
		for _, id := range r.Scopes {
			r.scope(ctx, id)
		}
		return
	}
	found, err := r.query(ctx)
	if err != nil {
		if failure := provider.FailureOf(err); failure != nil {
			err = errors.New(failure.GetMessage())
		}
		r.errs = append(r.errs, fmt.Errorf("query Resource Graph: %w", err))
		return
	}
	r.found(ctx, "the query", found)
}

// scope imports a scope, where the manifest has its type, and what it holds.
func (r *run) scope(ctx context.Context, id armid.ID) {
	if _, err := r.Manifest.choose(id.Type(), r.Version); err == nil {
		r.resource(ctx, id)
	}
	lists := []string{"/resources"}
	if _, err := r.Manifest.choose(armid.ResourceGroup, r.Version); err == nil && id.Type() == armid.Subscription {
		lists = []string{"/resourcegroups", "/resources"}
	}
	for _, path := range lists {
		held, err := r.list(ctx, id.Path()+path, resourcesVersion)
		if err != nil {
			r.wrong(id, err)
			return
		}
		r.found(ctx, id.String(), held)
	}
}

// found imports what was found of the types in the manifest, and notes how much there is of others.
func (r *run) found(ctx context.Context, where string, ids []armid.ID) {
	others := map[string]int{}
	for _, one := range ids {
		if ctx.Err() != nil {
			return
		}
		if _, err := r.Manifest.choose(one.Type(), ""); err == nil {
			r.listed(ctx, one)
		} else {
			others[one.Type()]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		r.notes = append(r.notes, fmt.Sprintf("%s: %s: %d left out: the manifest has no such type", where, kind, others[kind]))
	}
}

// listed imports what was found, unless the cloud does not give it out: that is noted.
func (r *run) listed(ctx context.Context, id armid.ID) {
	before := len(r.errs)
	r.resource(ctx, id)
	r.skip(before, id)
}

// skip makes a note of the last error where the cloud does not have, or does not give out, what was
// asked for.
func (r *run) skip(before int, id armid.ID) {
	var refused *refusal
	if len(r.errs) != before+1 || !errors.As(r.errs[before], &refused) || !refused.isAbsence() {
		return
	}
	r.errs = r.errs[:before]
	r.notes = append(r.notes, fmt.Sprintf("%s: left out: %s", id, refused))
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
	p := newPruner(entry)
	pruned, _ := p.prune(spot{}, inward(outside, entry.Outside, schema), schema)
	spec, ok := pruned.(map[string]any)
	if !ok {
		spec = map[string]any{}
	}
	if schema.Properties[member.AzureName] != nil {
		spec[member.AzureName] = id.Name()
	}
	if schema.Properties[member.Owner] != nil {
		spec[member.Owner] = map[string]any{member.OwnerID: id.Parent().String()}
	}
	for _, note := range p.notes {
		r.notes = append(r.notes, id.String()+": "+note)
	}
	return object{id: id, entry: entry, spec: spec}, nil
}

// inward gives the members of a body the names that they have here. What is called like Strata's
// own members and has no other name here is none of the spec's.
func inward(outside map[string]any, names map[string]string, spec *schema) map[string]any {
	own := maps.Clone(outside)
	for _, name := range ours {
		delete(own, name)
	}
	for name, is := range oursLater {
		if s := spec.Properties[name]; s != nil && is(s) {
			delete(own, name)
		}
	}
	for name, theirs := range names {
		for member, value := range outside {
			if strings.EqualFold(member, theirs) {
				delete(own, member)
				own[name] = value
			}
		}
	}
	return own
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
			before := len(r.errs)
			r.wrong(id, fmt.Errorf("list %s: %w", word, err))
			r.skip(before, id)
			continue
		}
		for _, one := range held {
			if ctx.Err() != nil {
				return
			}
			r.listed(ctx, one)
		}
	}
}

// list reads all pages of a list. A refusal of a page after the first is an error of the whole
// import, and not the absence of what is listed.
func (r *run) list(ctx context.Context, path, version string) ([]armid.ID, error) {
	var (
		ids     []armid.ID
		visited pages
	)
	for request := (rest.Request{Path: path, Version: version}); ; {
		answer, err := r.get(ctx, request)
		if refused := (*refusal)(nil); errors.As(err, &refused) && request.URL != nil {
			return nil, fmt.Errorf("next page: %s", refused.message)
		}
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
		if err := visited.visit(next); err != nil {
			return nil, fmt.Errorf("a list: %w", err)
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
			return nil, "", fmt.Errorf("a list holds the identifier %q", cut(text))
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
	next := request.Path
	if request.URL != nil {
		next = request.URL.Path
	}
	r.Progress.call(State{Read: len(r.objects), Reading: next})
	if request.Method == "" {
		request.Method = http.MethodGet
	}
	answer, err := r.Client.Do(ctx, request)
	if err != nil {
		return nil, provider.Fail(rest.FailureOfCall("read", err))
	}
	if answer.Status != http.StatusOK {
		failure := answer.Failure("read")
		return nil, &refusal{answer.Status, failure.GetCode(), failure.GetMessage()}
	}
	return answer.Body, nil
}

func (r *run) result(ctx context.Context) (*Result, error) {
	slices.SortFunc(r.objects, byKind)
	name(r.objects)
	link(r.objects)
	slices.SortStableFunc(r.objects, func(a, b object) int { return cmp.Compare(a.level, b.level) })
	result := &Result{Notes: r.notes, IsIncomplete: r.isIncomplete}
	for i, o := range r.objects {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Progress.call(State{Read: len(r.objects), Encoded: i})
		text, err := r.yaml(o)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", o.id, err)
		}
		result.Objects = append(result.Objects, Object{Group: o.entry.Group, Kind: o.entry.Kind, Name: o.name, Level: o.level, YAML: text})
	}
	slices.Sort(result.Notes)
	return result, nil
}

func byKind(a, b object) int {
	return cmp.Or(strings.Compare(a.entry.Group, b.entry.Group), strings.Compare(a.entry.Kind, b.entry.Kind),
		strings.Compare(strings.ToLower(a.id.String()), strings.ToLower(b.id.String())))
}

// link has objects name their owners where these are among them, so that the operator deletes them
// first. It needs names.
func link(objects []object) {
	index := map[string]int{}
	for i, o := range objects {
		index[strings.ToLower(o.id.String())] = i
	}
	var level func(i int) int
	level = func(i int) int {
		o := &objects[i]
		at, among := index[strings.ToLower(o.id.Parent().String())]
		if _, owned := o.spec[member.Owner]; !owned || !among {
			return 0
		}
		above := &objects[at]
		if owns(above.entry, o.entry) {
			o.spec[member.Owner] = map[string]any{member.OwnerName: above.name}
		}
		o.level = level(at) + 1
		return o.level
	}
	for i := range objects {
		level(i)
	}
}

// owns reports whether objects of an entry can be named as owners by those of another one. The
// operator knows one kind of owners for each kind.
func owns(above, below Entry) bool {
	return strings.EqualFold(above.Source.Type, below.parent()) && (above.Group == below.Group || armid.IsResourceGroup(above.Source.Type))
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

// name gives objects their names: those of the resource and of its parents, with dashes. Where two
// of a kind would get the same, all of them get a part of a digest of their identifiers as well.
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

// legal is a name that Kubernetes allows. One that lost characters gets a part of the digest, so
// that others that would come to the same do not.
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
