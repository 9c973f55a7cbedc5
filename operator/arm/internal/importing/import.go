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

// ours lists the members of specs that Strata adds.
var ours = []string{member.AzureName, member.Owner, member.SecretRefs}

// oursLater lists members of specs that Strata adds to kinds without a property of that name.
// Each function reports whether a schema is that of Strata's member.
var oursLater = map[string]func(*schema) bool{
	member.ConfigMapRefs: func(s *schema) bool {
		return s.Items != nil && s.Items.Properties["path"] != nil && s.Items.Properties["key"] != nil
	},
	member.Outputs: func(s *schema) bool { return s.Properties["secrets"] != nil && s.Properties["configMaps"] != nil },
}

// adopt is the annotation that allows the operator to adopt an existing resource.
const adopt = "strata.dev/adopt"

// Import configures an import.
type Import struct {
	Client      *rest.Client
	Manifest    *Manifest
	Definitions *Definitions
	Version     string     // of the external API; empty for the newest that is served
	Namespace   string     // of the objects; empty for none
	Recursive   bool       // also import children, as far as the manifest has their types
	Scopes      []armid.ID // subscriptions and resource groups whose resources are all imported
	Query       string     // of Resource Graph, within the scopes if there are any; all results are imported
	Progress    Progress   // called before each call and for each object; may be nil
}

// Result has the imported objects.
type Result struct {
	// Objects are in order of ownership, owners first.
	Objects []Object
	// Notes describe, one in a line, what could not be imported.
	Notes []string
	// IsIncomplete reports whether the external API has returned fewer resources than it reports.
	// The objects may be written nevertheless.
	IsIncomplete bool
}

// Object is an imported object.
type Object struct {
	Group, Kind, Name string
	Level             int // the number of its owners among the objects
	YAML              []byte
}

// object is an Object before it is encoded.
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

// refusal is an answer of ARM that is an error.
type refusal struct {
	status        int
	code, message string
}

func (e *refusal) Error() string { return e.message }

// absences lists codes of ARM for types, or API versions of types, that the cloud does not have.
var absences = []string{"InvalidResourceType", "InvalidResourceNamespace", "NoRegisteredProviderFound", "InvalidApiVersionParameter", "MissingSubscriptionRegistration"}

// isAbsence reports whether the cloud does not have the requested resource or type, or does not
// return it.
func (e *refusal) isAbsence() bool {
	switch e.status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return slices.Contains(absences, e.code)
}

// start imports a resource or a scope that a user named. With Recursive, it imports the resources
// of a scope, and the scope itself if the manifest has its type.
func (r *run) start(ctx context.Context, id armid.ID) {
	if isScope := id.Type() == armid.Subscription || id.Type() == armid.ResourceGroup; !isScope || !r.Recursive {
		r.resource(ctx, id)
		return
	}
	r.scope(ctx, id)
}

// scopes imports the resources of scopes, or those that a query finds in them.
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

// scope imports the resources of a scope, and the scope itself if the manifest has its type.
func (r *run) scope(ctx context.Context, id armid.ID) {
	if _, err := r.Manifest.choose(id.Type(), r.Version); err == nil {
		r.resource(ctx, id)
	}
	lists := []string{"/resources"}
	if _, err := r.Manifest.choose(armid.ResourceGroup, r.Version); err == nil && id.Type() == armid.Subscription {
		lists = []string{"/resourcegroups", "/resources"}
	}
	for _, path := range lists {
		found, err := r.list(ctx, id.Path()+path, resourcesVersion)
		if err != nil {
			r.wrong(id, err)
			return
		}
		r.found(ctx, id.String(), found)
	}
}

// found imports the resources whose types are in the manifest, and notes the number of others by
// type.
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

// listed imports a resource, or notes that the cloud does not return it.
func (r *run) listed(ctx context.Context, id armid.ID) {
	before := len(r.errs)
	r.resource(ctx, id)
	r.skip(before, id)
}

// skip replaces the last error by a note if the cloud does not have, or does not return, the
// requested resource.
func (r *run) skip(before int, id armid.ID) {
	var refused *refusal
	if len(r.errs) != before+1 || !errors.As(r.errs[before], &refused) || !refused.isAbsence() {
		return
	}
	r.errs = r.errs[:before]
	r.notes = append(r.notes, fmt.Sprintf("%s: left out: %s", id, refused))
}

// resourcesVersion is the API version of the list of a scope's resources.
const resourcesVersion = "2021-04-01"

// maxObjects is the maximum number of resources of a list or a query.
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
	external, err := body.Object(answer)
	if err != nil {
		return object{}, err
	}
	p := newPruner(entry)
	pruned, _ := p.prune(spot{}, inward(external, entry.ExternalNames, schema), schema)
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

// inward renames the members of a body to their names in the spec. It removes members with names
// of Strata's own members, unless they have another name in the spec.
func inward(external map[string]any, names map[string]string, spec *schema) map[string]any {
	own := maps.Clone(external)
	for _, name := range ours {
		delete(own, name)
	}
	for name, is := range oursLater {
		if s := spec.Properties[name]; s != nil && is(s) {
			delete(own, name)
		}
	}
	for name, theirs := range names {
		for member, value := range external {
			if strings.EqualFold(member, theirs) {
				delete(own, member)
				own[name] = value
			}
		}
	}
	return own
}

// children imports the resources directly below a resource. It also imports those below resources
// between, whose types the manifest does not have.
func (r *run) children(ctx context.Context, id armid.ID) {
	for _, word := range r.Manifest.below(id.Type()) {
		entry, err := r.Manifest.choose(id.Type()+"/"+word, "")
		if err != nil {
			continue // not served
		}
		found, err := r.list(ctx, id.Path()+"/"+word, entry.Source.Version)
		if err != nil {
			before := len(r.errs)
			r.wrong(id, fmt.Errorf("list %s: %w", word, err))
			r.skip(before, id)
			continue
		}
		for _, one := range found {
			if ctx.Err() != nil {
				return
			}
			r.listed(ctx, one)
		}
	}
	for _, entry := range r.Manifest.deeper(id.Type()) {
		r.between(ctx, id, entry)
	}
}

// between imports the resources of a type, and of its siblings, that are below those between them
// and a resource. It notes that the cloud does not list the resources between.
func (r *run) between(ctx context.Context, id armid.ID, entry Entry) {
	word, _, _ := strings.Cut(entry.Source.Type[len(id.Type())+1:], "/")
	found, err := r.list(ctx, id.Path()+"/"+word, entry.Source.Version)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.isAbsence():
		r.notes = append(r.notes, fmt.Sprintf("%s: %s: left out: the cloud does not list %s, so name the resources by their identifiers: %s", id, entry.Source.Type, word, refused))
	case err != nil:
		r.wrong(id, fmt.Errorf("list %s: %w", word, err))
	}
	for _, one := range found {
		if ctx.Err() != nil {
			return
		}
		if strings.EqualFold(one.Type(), id.Type()+"/"+word) { // its type is longer, so that this ends whatever a list has
			r.children(ctx, one)
		}
	}
}

// list reads all pages of a list. An error of a page after the first fails the whole import: it
// does not mean that the listed resources are absent.
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
		return nil, provider.Fail(rest.FailureOfCall("read", err, nil))
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

// link makes objects name their owners if these are among the objects, so that the operator
// deletes owned objects first. It requires names.
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

// owns reports whether objects of one entry can name those of another as owners. For each kind,
// the operator has one kind of owners.
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

// name sets the names of objects: the names of the resource and of its parents, with dashes. If
// two objects of a kind would have the same name, all these get a part of the digest of their
// identifiers.
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

// longestName is the maximum length of a name without a digest. With one it fits into the 63
// characters of a label.
const longestName = 50

// legal returns a name that Kubernetes allows. If it had to change more than the case, it appends
// a part of the digest, so that different identifiers have different names.
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
