package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
)

// policies are the kinds of admission policies of a package, by kind.
var policies = map[string]schema.GroupVersionResource{
	"ValidatingAdmissionPolicy":        {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"},
	"ValidatingAdmissionPolicyBinding": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"},
}

// maxPolicies is the size of the largest file of policies that is read.
const maxPolicies = 8 << 20

// policies compares the admission policies of the package with those of the cluster.
func (e *examination) policies(ctx context.Context) {
	if e.Package == nil {
		return
	}
	files, err := filepath.Glob(filepath.Join(e.Dir, "*", "policies.yaml"))
	if err != nil {
		return
	}
	for _, file := range files {
		wanted, err := objectsOf(file)
		if err != nil {
			e.unread(file, err)
			continue
		}
		for _, want := range wanted {
			e.policy(ctx, file, want)
		}
	}
}

func (e *examination) policy(ctx context.Context, file string, want *unstructured.Unstructured) {
	resource, known := policies[want.GetKind()]
	if !known {
		return
	}
	subject := resource.Resource + "/" + want.GetName()
	got, err := e.Cluster.Resource(resource).Get(ctx, want.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		e.add(Finding{ID: "policy-missing", Severity: failure, Subject: subject, Explanation: "the cluster does not have the policy of " + file, Command: e.apply(file)})
	case err != nil:
		e.unread(subject, err)
	default:
		e.migrator = migratorOf(want, e.migrator)
		if !contains(got.Object["spec"], want.Object["spec"]) {
			e.add(Finding{ID: "policy-changed", Severity: failure, Subject: subject, Explanation: "the policy is not that of " + file, Command: e.apply(file)})
		}
	}
}

// migratorOf returns the flag by which a command acts as the migrator that a policy accepts.
func migratorOf(o *unstructured.Unstructured, known string) string {
	variables, _, _ := unstructured.NestedSlice(o.Object, "spec", "variables")
	for _, v := range variables {
		of, _ := v.(map[string]any)
		expression, _ := of["expression"].(string)
		if name := migratorName.FindString(expression); of["name"] == "writers" && name != "" {
			return " --as " + name
		}
	}
	return known
}

// contains reports whether a value has all that another one has. An API server adds defaults.
func contains(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		of, isObject := got.(map[string]any)
		for name, value := range want {
			if !isObject || !contains(of[name], value) {
				return false
			}
		}
		return true
	case []any:
		of, isList := got.([]any)
		if !isList || len(of) != len(want) {
			return false
		}
		for i := range want {
			if !contains(of[i], want[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

// objectsOf reads the objects of a file.
func objectsOf(file string) ([]*unstructured.Unstructured, error) {
	text, err := bounded.ReadFile(file, maxPolicies)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for r := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		next, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		asJSON, err := yaml.ToJSON(next)
		if err != nil {
			return nil, err
		}
		if string(asJSON) == "null" {
			continue
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(asJSON); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
}
