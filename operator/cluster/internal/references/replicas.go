package references

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
)

// Limits of replicas.
const (
	maxReplicas = 100
	maxAnswer   = 4 << 20
	// probes is the name of the port at which a replica of a generated Deployment answers.
	probes = "probes"
)

// Webhook is a replica of the webhook. Ask answers GET /versions.
type Webhook struct {
	Name string
	Ask  func(ctx context.Context) (io.ReadCloser, error)
}

var (
	services = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	pods     = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// replicas finds replicas of the webhook that do not convert a version of a kind.
func (f *finder) replicas(ctx context.Context) error {
	all := map[int][]Webhook{}
	asked := map[crd.Service][]Webhook{}
	for i := range f.Kinds {
		at := f.Kinds[i].From.Webhook
		switch {
		case len(f.Webhooks) > 0:
			all[i] = f.Webhooks
		case at != nil && f.Kinds[i].From.Strata:
			if _, known := asked[*at]; !known {
				asked[*at] = f.podsOf(ctx, *at)
			}
			all[i] = asked[*at]
		case f.Kinds[i].From.Strata:
			f.notChecked("replicas of the webhook of "+f.Kinds[i].From.Name(), "the CRD names no service: name each replica with --webhook")
		}
	}
	answers := map[string]*converter.Versions{}
	for i := range f.Kinds {
		for _, w := range all[i] {
			if _, known := answers[w.Name]; !known {
				answers[w.Name] = f.ask(ctx, w)
			}
			if of := answers[w.Name]; of != nil {
				f.replica(&f.Kinds[i], w.Name, of)
			}
		}
	}
	return nil
}

// replica compares what a replica converts with a kind.
func (f *finder) replica(k *Kind, name string, of *converter.Versions) {
	i := slices.IndexFunc(of.Kinds, func(kind converter.Kind) bool { return kind.Group == k.To.Group && kind.Kind == k.To.Kind })
	for _, v := range k.To.Versions {
		if i < 0 || !slices.Contains(of.Kinds[i].Versions, v.Name) {
			f.add(k, Replica, v.Name, name, "", "this replica of the webhook does not convert the version: deploy the webhook of the package before its CRDs")
		}
	}
}

// podsOf returns the pods of a service that run.
func (f *finder) podsOf(ctx context.Context, at crd.Service) (out []Webhook) {
	what := "replicas of the webhook " + at.Namespace + "/" + at.Name
	service, err := f.Objects.Resource(services).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	if err != nil {
		f.notChecked(what, dependents.Missing(err, "get", services.GroupResource()))
		return nil
	}
	selector, _, _ := unstructured.NestedStringMap(service.Object, "spec", "selector")
	if len(selector) == 0 {
		f.notChecked(what, "its service selects no pods: name each replica with --webhook")
		return nil
	}
	list, err := f.Objects.Resource(pods).Namespace(at.Namespace).List(ctx, metav1.ListOptions{Limit: maxReplicas, LabelSelector: labels.Set(selector).String()})
	if err != nil {
		f.notChecked(what, dependents.Missing(err, "list", pods.GroupResource()))
		return nil
	}
	if list.GetContinue() != "" {
		f.notChecked(what, fmt.Sprintf("it has more than %d pods", maxReplicas))
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase != "Running" || pod.GetDeletionTimestamp() != nil {
			continue
		}
		port := portOf(pod)
		if port == 0 {
			f.notChecked("the webhook in pod "+nameOf(pod), "it has no port "+probes+": name each replica with --webhook")
			continue
		}
		path := "/api/v1/namespaces/" + pod.GetNamespace() + "/pods/" + pod.GetName() + ":" + strconv.FormatInt(port, 10) + "/proxy/versions"
		out = append(out, Webhook{"pod " + nameOf(pod), func(ctx context.Context) (io.ReadCloser, error) { return f.Server.Raw(ctx, path) }})
	}
	if len(list.Items) == 0 {
		f.notChecked(what, "its service has no pods: name each replica with --webhook")
	}
	return out
}

// portOf returns the port at which a pod answers probes, or 0.
func portOf(pod *unstructured.Unstructured) int64 {
	for _, container := range elements(pod, "spec", "containers") {
		for _, port := range elements(&unstructured.Unstructured{Object: container}, "ports") {
			if number, ok := port["containerPort"].(int64); ok && port["name"] == any(probes) {
				return number
			}
		}
	}
	return 0
}

// ask returns what a replica converts, or nil if it does not answer.
func (f *finder) ask(ctx context.Context, w Webhook) *converter.Versions {
	answer, err := w.Ask(ctx)
	if err != nil {
		f.notChecked("the webhook in "+w.Name, dependents.Missing(err, "get", schema.GroupResource{Resource: "pods/proxy"}))
		return nil
	}
	defer func() { _ = answer.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = errTooLong
	}
	var of converter.Versions
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err == nil && of.Format != 1 {
		err = fmt.Errorf("its format is %d, and this program reads 1", of.Format)
	}
	if err != nil {
		f.notChecked("the webhook in "+w.Name, bounded(err.Error()))
		return nil
	}
	return &of
}
