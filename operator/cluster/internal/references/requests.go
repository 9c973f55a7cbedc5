package references

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/cluster/internal/dependents"
)

// policies finds policies and webhooks of admission that see other requests after the upgrade. A
// rule that names versions matches requests in other versions only as long as the API server serves
// one of those that it names, and not at all with matchPolicy Exact. Those that Strata has
// generated are part of the package.
func (f *finder) policies(ctx context.Context) error {
	const group = "admissionregistration.k8s.io"
	for _, resource := range []string{"validatingadmissionpolicies", "mutatingadmissionpolicies"} {
		err := f.list(ctx, resource, schema.GroupResource{Group: group, Resource: resource}, metav1.ListOptions{Limit: 50}, func(o *unstructured.Unstructured) {
			if o.GetLabels()["app.kubernetes.io/part-of"] == "strata" {
				return
			}
			match, _, _ := unstructured.NestedString(o.Object, "spec", "matchConstraints", "matchPolicy")
			f.rules(elements(o, "spec", "matchConstraints", "resourceRules"), match, resource+" "+o.GetName(), "spec.matchConstraints")
		})
		if err != nil {
			return err
		}
	}
	for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
		err := f.list(ctx, resource, schema.GroupResource{Group: group, Resource: resource}, metav1.ListOptions{Limit: 50}, func(o *unstructured.Unstructured) {
			for _, webhook := range elements(o, "webhooks") {
				match, _ := webhook["matchPolicy"].(string)
				f.rules(elements(&unstructured.Unstructured{Object: webhook}, "rules"), match, resource+" "+o.GetName(), "webhooks")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rules finds what the rules of one policy or webhook no longer match.
func (f *finder) rules(rules []map[string]any, match, name, path string) {
	for i := range f.Kinds {
		k := &f.Kinds[i]
		var versions []string
		for _, rule := range rules {
			if about(rule, k) {
				versions = append(versions, texts(rule, "apiVersions")...)
			}
		}
		if len(versions) == 0 || slices.Contains(versions, "*") {
			continue
		}
		if match != "Exact" {
			if !slices.ContainsFunc(versions, k.To.Serves) {
				f.add(k, Policy, f.names[i].Of(versions[0]), name, path, "its rules name no version that is served, so that it matches no request: name another version")
			}
			continue
		}
		for _, v := range slices.Compact(slices.Sorted(slices.Values(versions))) {
			if k.goes(v) && k.From.Serves(v) {
				f.add(k, Policy, v, name, path, "it matches this version exactly (matchPolicy: Exact), and nothing after the version has gone")
			}
		}
		for _, v := range k.added() {
			if slices.ContainsFunc(versions, k.From.Serves) && !slices.Contains(versions, v) {
				f.add(k, Policy, v, name, path, "it matches versions exactly (matchPolicy: Exact), and not this one, which comes: add it, or use matchPolicy: Equivalent")
			}
		}
	}
}

// about reports whether a rule is about a kind.
func about(rule map[string]any, k *Kind) bool {
	return slices.ContainsFunc(texts(rule, "apiGroups"), func(group string) bool { return group == "*" || group == k.To.Group }) &&
		slices.ContainsFunc(texts(rule, "resources"), func(resource string) bool {
			name, _, _ := strings.Cut(resource, "/")
			return name == "*" || name == k.To.Plural
		})
}

func texts(object map[string]any, name string) (out []string) {
	list, _ := object[name].([]any)
	for _, element := range list {
		if text, ok := element.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// targets finds autoscalers whose target has a version that goes.
func (f *finder) targets(ctx context.Context) error {
	of := schema.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}
	return f.list(ctx, of.String(), of, metav1.ListOptions{Limit: 250}, func(o *unstructured.Unstructured) {
		target, _, _ := unstructured.NestedMap(o.Object, "spec", "scaleTargetRef")
		apiVersion, _ := target["apiVersion"].(string)
		kind, _ := target["kind"].(string)
		group, version := cut(apiVersion)
		f.use(ScaleTarget, group, kind, version, of.Resource+" "+nameOf(o), "spec.scaleTargetRef", "the autoscaler reads its target in this version: change it first", nil)
	})
}

const (
	maxLine    = 64 << 10
	maxMetrics = 256 << 20
	deprecated = "apiserver_requested_deprecated_apis{"
)

// requested finds clients that have used a version since the API server started. API servers count
// versions that a CRD marks as deprecated. They do not tell who asked.
func (f *finder) requested(ctx context.Context) error {
	answer, err := f.Server.Raw(ctx, "/metrics")
	if err != nil {
		f.notChecked("clients of deprecated versions", dependents.Missing(err, "get", schema.GroupResource{Resource: "/metrics"}))
		return nil
	}
	defer func() { _ = answer.Close() }()
	lines := bufio.NewScanner(io.LimitReader(answer, maxMetrics))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		of, isMetric := strings.CutPrefix(lines.Text(), deprecated)
		labels, value, _ := strings.Cut(of, "} ")
		if !isMetric || value == "0" {
			continue
		}
		for i := range f.Kinds {
			k := &f.Kinds[i]
			for _, v := range k.From.Versions {
				if v.Deprecated && k.goes(v.Name) && has(labels, "group", k.To.Group) && has(labels, "version", v.Name) && has(labels, "resource", k.To.Plural) {
					f.add(k, Requested, v.Name, "the API server that answers", "apiserver_requested_deprecated_apis", "clients have used the version since the API server started")
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		f.notChecked("clients of deprecated versions", bounded(err.Error()))
	}
	return nil
}

// has reports whether the labels of a metric have a value. No value of these labels has quotes.
func has(labels, name, value string) bool {
	return strings.Contains(","+labels, ","+name+`="`+value+`"`)
}
