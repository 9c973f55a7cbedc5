package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
	"github.com/stratakube/strata/runtime/convert"
)

// page is the number of objects in one request.
const page = 100

// largest is the size that etcd stores by default.
const largest = 3 << 19

// lastApplied is the annotation in which kubectl stores a manifest.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Converter converts objects to a version of their group. An object that does not convert has an
// error of its own.
type Converter interface {
	Convert(to string, objects []json.RawMessage) ([]converter.Result, error)
}

// scan reads all objects of a kind, and tries the conversions of the new release with them.
type scan struct {
	client   dynamic.Interface
	with     Converter
	from, to *crd.CRD
	kind     *Kind
	found    map[[2]string]int // index of the finding of a reason and a version
	named    *crd.Names
}

// run reads the objects page by page, so that memory does not depend on their number.
func (s *scan) run(ctx context.Context) error {
	list := func(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
		return s.list(ctx, s.from.Hub(), options)
	}
	return pages.Each(ctx, metav1.ListOptions{Limit: page}, list, func(list *unstructured.UnstructuredList, options metav1.ListOptions) error {
		return s.page(ctx, list, options)
	})
}

func (s *scan) list(ctx context.Context, version string, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	list, err := s.client.Resource(s.from.Resource(version)).List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("list %s in %s: %w", s.from.Name(), version, err)
	}
	return list, nil
}

// visible reads the page of another list in a version, as users see the objects now. A token to
// continue means the same page in every version. Objects that changed meanwhile are left out.
func (s *scan) visible(ctx context.Context, version string, of *unstructured.UnstructuredList, options metav1.ListOptions) (map[string]map[string]any, error) {
	if options.Continue == "" {
		options.ResourceVersion, options.ResourceVersionMatch = of.GetResourceVersion(), metav1.ResourceVersionMatchExact
	}
	out := map[string]map[string]any{}
	list, err := s.list(ctx, version, options)
	if apierrors.IsResourceExpired(err) {
		// The API server has removed this state since. The present one has the same place in the list.
		options.Continue = pages.Expired(err)
		options.ResourceVersion, options.ResourceVersionMatch = "", ""
		list, err = s.list(ctx, version, options)
	}
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		item := &list.Items[i]
		object, err := exact(item)
		if err != nil {
			return nil, err
		}
		out[identity(item)] = object
	}
	return out, nil
}

func identity(o *unstructured.Unstructured) string {
	return string(o.GetUID()) + " " + o.GetResourceVersion()
}

func exact(o *unstructured.Unstructured) (map[string]any, error) {
	text, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	return decode(text)
}

// stored is an object of a page.
type stored struct {
	name   string
	key    string
	object map[string]any
	text   json.RawMessage // of object
	hub    json.RawMessage // in the new hub; nil if it does not convert
	inHub  map[string]any
}

func (s *scan) page(ctx context.Context, list *unstructured.UnstructuredList, options metav1.ListOptions) error {
	objects := make([]*stored, len(list.Items))
	texts := make([]json.RawMessage, len(list.Items))
	for i := range list.Items {
		item := &list.Items[i]
		text, err := item.MarshalJSON()
		if err != nil {
			return fmt.Errorf("read object: %w", err)
		}
		object, err := decode(text)
		if err != nil {
			return err
		}
		objects[i] = &stored{name: nameOf(item), key: identity(item), object: object, text: text}
		texts[i] = text
		s.count(item, objects[i].name)
	}
	if s.with == nil {
		return nil
	}
	if err := s.toHub(objects, texts); err != nil {
		return err
	}
	for _, v := range s.to.Versions {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		isStored := v.Name == s.from.Hub() || slices.Contains(s.from.Stored, v.Name)
		if v.Name == s.to.Hub() || (!v.Served && !isStored) || s.isFound(VersionUnknown, v.Name) {
			continue
		}
		var before map[string]map[string]any
		if v.Served && slices.Contains(s.from.Readable(), v.Name) {
			var err error
			if before, err = s.visible(ctx, v.Name, list, options); err != nil {
				return err
			}
		}
		if err := s.through(v.Name, objects, before); err != nil {
			return err
		}
	}
	return nil
}

func nameOf(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

// count adds an object, and what its metadata say, to the kind.
func (s *scan) count(o *unstructured.Unstructured, name string) {
	s.kind.Objects++
	if s.to.Strata {
		s.original(o, name)
	}
	s.tracked(o, name)
	named := map[string]bool{}
	for _, entry := range o.GetManagedFields() {
		if group, version, _ := strings.Cut(entry.APIVersion, "/"); group == s.to.Group && !s.to.Has(version) && !named[s.named.Of(version)] {
			version = s.named.Of(version)
			named[version] = true
			s.find(Owned, version, name, "metadata.managedFields", "managedFields name a version that the package does not have")
		}
	}
	var applied struct{ APIVersion string }
	if text := o.GetAnnotations()[lastApplied]; text != "" && json.Unmarshal([]byte(text), &applied) == nil {
		if group, version, _ := strings.Cut(applied.APIVersion, "/"); group == s.to.Group && !s.to.Serves(version) {
			s.find(LastApplied, s.named.Of(version), name, "metadata.annotations", "kubectl applied objects in a version that the package does not have or serve")
		}
	}
}

// original counts an object by its original version.
func (s *scan) original(o *unstructured.Unstructured, name string) {
	original, _, _ := unstructured.NestedString(o.Object, convert.OriginalVersionPath()...)
	if original == "" {
		original = s.from.API()
	}
	known := s.named.Of(original)
	s.kind.Originals[known]++
	if !s.to.Serves(original) {
		s.find(VersionGone, known, name, "", "users wrote objects in a version that the package does not have or serve")
	}
}

// tracking is the annotation of objects that Argo CD applies. It names no version.
const tracking = "argocd.argoproj.io/tracking-id"

// tracked finds the version of the manifest from which Argo CD applies an object.
func (s *scan) tracked(o *unstructured.Unstructured, name string) {
	if o.GetAnnotations()[tracking] == "" {
		return
	}
	named := map[string]bool{}
	for _, entry := range o.GetManagedFields() {
		group, version, _ := strings.Cut(entry.APIVersion, "/")
		if of := s.named.Of(version); entry.Operation == metav1.ManagedFieldsOperationApply && group == s.to.Group && !s.to.Serves(version) && !named[of] {
			named[of] = true
			s.find(Tracked, of, name, "metadata.annotations", "Argo CD tracks objects that were applied in this version: change their manifests in Git before the version goes")
		}
	}
}

// toHub converts objects to the new hub.
func (s *scan) toHub(objects []*stored, texts []json.RawMessage) error {
	to := s.to.Hub()
	results, err := s.convert(to, texts)
	if err != nil {
		return err
	}
	for i, result := range results {
		o := objects[i]
		inHub, err := s.answer(result, to, o)
		if err != nil {
			s.find(NotConvertible, to, o.name, "", err.Error())
			continue
		}
		o.hub, o.inHub = result.Object, inHub
		s.kind.Largest = max(s.kind.Largest, len(result.Object))
		if len(result.Object) > largest {
			s.find(TooLarge, to, o.name, "", "the object has "+strconv.Itoa(len(result.Object))+" bytes, and etcd stores 1.5 MiB by default")
		}
	}
	return nil
}

// answer returns a converted object. It refuses what API servers refuse: an object of another
// version or kind, or another object.
func (s *scan) answer(result converter.Result, version string, of *stored) (map[string]any, error) {
	if result.Err != nil {
		return nil, result.Err
	}
	object, err := decode(result.Object)
	if err != nil {
		return nil, fmt.Errorf("the converter answers with no object: %w", err)
	}
	if object["apiVersion"] != any(s.to.Group+"/"+version) || object["kind"] != any(s.to.Kind) {
		return nil, errors.New("the converter answers with an object of another version or kind")
	}
	was, is := member(of.object, "metadata"), member(object, "metadata")
	for _, name := range []string{"name", "namespace", "uid"} {
		if at, differs := difference(was[name], is[name], "metadata."+name); differs {
			return nil, fmt.Errorf("the converter changes %s", at)
		}
	}
	return object, nil
}

func member(object map[string]any, name string) map[string]any {
	out, _ := object[name].(map[string]any)
	return out
}

func (s *scan) convert(to string, texts []json.RawMessage) ([]converter.Result, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	return s.with.Convert(s.to.Group+"/"+to, texts)
}

// through converts objects from the new hub to a version and back. before has what users see in
// the version now.
func (s *scan) through(version string, objects []*stored, before map[string]map[string]any) error {
	var some []*stored
	var texts []json.RawMessage
	for _, o := range objects {
		if o.hub != nil {
			some, texts = append(some, o), append(texts, o.hub)
		}
	}
	var back, grown []*stored
	var returning, grownTexts []json.RawMessage
	results, err := s.convert(version, texts)
	if err != nil {
		return err
	}
	for i, result := range results {
		o := some[i]
		visible, err := s.answer(result, version, o)
		if err != nil {
			s.find(NotConvertible, version, o.name, "", err.Error())
			continue
		}
		if version == s.from.Hub() {
			before := o.object
			if !s.from.Strata {
				before, visible = withoutBag(before), withoutBag(visible) // the kind gets its first hub
			}
			if path, differs := difference(before, visible, ""); differs {
				if _, lacks := lack(before, visible, ""); lacks || !s.from.Strata {
					s.find(HubChanged, version, o.name, path, notAsItWas)
				} else {
					grown, grownTexts = append(grown, o), append(grownTexts, result.Object)
				}
			}
		} else if now := before[o.key]; now != nil {
			s.compare(VisibleChanged, version, o.name, withoutBag(now), withoutBag(visible), "the version shows something else than before")
		}
		back, returning = append(back, o), append(returning, result.Object)
	}
	if err := s.readSame(grown, grownTexts); err != nil {
		return err
	}
	if results, err = s.convert(s.to.Hub(), returning); err != nil {
		return err
	}
	for i, result := range results {
		o := back[i]
		again, err := s.answer(result, s.to.Hub(), o)
		if err != nil {
			s.find(NotConvertible, version, o.name, "", "from this version to the hub: "+err.Error())
			continue
		}
		s.compare(Lost, version, o.name, o.inHub, again, "a value does not come back from this version")
	}
	return nil
}

const notAsItWas = "an object in the new hub does not come back as it was"

// readSame finds objects that returned from the new hub with more in their property bags than
// before, and that a served version therefore shows differently. Conversions may leave there what a
// step has derived, and what a newer version has shown.
func (s *scan) readSame(objects []*stored, returned []json.RawMessage) error {
	if len(objects) == 0 {
		return nil
	}
	texts := make([]json.RawMessage, len(objects))
	for i, o := range objects {
		texts[i] = o.text
	}
	for _, v := range s.to.Versions {
		if !v.Served || s.isFound(VersionUnknown, v.Name) {
			continue
		}
		before, err := s.convert(v.Name, texts)
		if err != nil {
			return err
		}
		now, err := s.convert(v.Name, returned)
		if err != nil {
			return err
		}
		for i, o := range objects {
			was, err := s.answer(before[i], v.Name, o)
			if err != nil {
				continue // of NotConvertible
			}
			is, err := s.answer(now[i], v.Name, o)
			if err != nil {
				s.find(NotConvertible, v.Name, o.name, "", "after the way back to the installed hub: "+err.Error())
				continue
			}
			s.compare(HubChanged, v.Name, o.name, withoutBag(was), withoutBag(is), notAsItWas)
		}
	}
	return nil
}

func (s *scan) compare(reason, version, name string, want, got map[string]any, message string) {
	if path, ok := difference(want, got, ""); ok {
		s.find(reason, version, name, path, message)
	}
}

func (s *scan) isFound(reason, version string) bool {
	_, ok := s.found[[2]string{reason, version}]
	return ok
}

// isAnyFound reports whether there is a finding of a reason.
func (s *scan) isAnyFound(reason string) bool {
	return slices.ContainsFunc(s.kind.Findings, func(f Finding) bool { return f.Reason == reason })
}

// find adds an object to a finding. The first object is its example.
func (s *scan) find(reason, version, name, path, message string) {
	key := [2]string{reason, version}
	i, ok := s.found[key]
	if !ok {
		i = len(s.kind.Findings)
		s.found[key] = i
		s.kind.Findings = append(s.kind.Findings, Finding{Reason: reason, Version: version, Example: name, Path: path, Message: message})
	}
	if name != "" {
		s.kind.Findings[i].Objects++
	}
}
