package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
	"github.com/stratakube/strata/operator/cluster/internal/usage"
)

// crdsCommand prints the CRDs of a cluster.
func crdsCommand(s Streams) *cobra.Command {
	var a access
	c := &cobra.Command{
		Use:   "crds [GROUP...]",
		Short: "print the CRDs of a cluster as YAML",
		Long: "crds prints the CRDs of a cluster, or those of some groups, without what the API server adds. strata diff\n" +
			"calls it for kube://CONTEXT. It reads only.",
		Example: "  strata cluster crds > crds.yaml\n  strata cluster crds crm.example.com --context production",
		RunE: func(c *cobra.Command, groups []string) error {
			on, err := a.open()
			if err != nil {
				return err
			}
			return eachCRD(c.Context(), on.objects, func(o *unstructured.Unstructured) error {
				group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
				if len(groups) > 0 && !slices.Contains(groups, group) {
					return nil
				}
				return printCRD(s.Out, o)
			})
		},
	}
	a.add(c)
	return c
}

// crdPage is the number of CRDs in one request: some have a megabyte.
const crdPage = 20

func eachCRD(ctx context.Context, c dynamic.Interface, do func(*unstructured.Unstructured) error) error {
	err := pages.Each(ctx, metav1.ListOptions{Limit: crdPage}, c.Resource(crd.Resource).List, func(list *unstructured.UnstructuredList, _ metav1.ListOptions) error {
		for i := range list.Items {
			if err := do(&list.Items[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list CRDs: %w", err)
	}
	return nil
}

// printCRD prints a CRD as one document, without its state in the cluster.
func printCRD(w io.Writer, o *unstructured.Unstructured) error {
	out := map[string]any{
		"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": map[string]any{"name": o.GetName()}, "spec": o.Object["spec"],
	}
	text, err := yaml.Marshal(out)
	if err != nil {
		return fmt.Errorf("print %s: %w", o.GetName(), err)
	}
	_, err = fmt.Fprintf(w, "---\n%s", text)
	return err
}

// usageCommand counts the objects that set properties.
func usageCommand(s Streams) *cobra.Command {
	var a access
	c := &cobra.Command{
		Use:   "usage",
		Short: "count how many objects set properties",
		Long: "usage reads a JSON list of kinds with paths of properties from standard input, and prints how many objects\n" +
			"there are, and how many have a value at each path. strata diff calls it for --cluster. It reads only.",
		Example: `  echo '[{"group": "crm.example.com", "kind": "Person", "versions": [{"name": "v20180808", "paths": ["spec.title"]}]}]' | strata cluster usage`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			questions, err := usage.Read(c.InOrStdin())
			if err != nil {
				return err
			}
			on, err := a.open()
			if err != nil {
				return err
			}
			var definitions []*crd.CRD
			err = eachCRD(c.Context(), on.objects, func(o *unstructured.Unstructured) error {
				group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
				if !slices.ContainsFunc(questions, func(q usage.Question) bool { return q.Group == group }) {
					return nil
				}
				text, err := o.MarshalJSON()
				if err != nil {
					return fmt.Errorf("read CRD: %w", err)
				}
				d, err := crd.Parse(text)
				definitions = append(definitions, d)
				return err
			})
			if err != nil {
				return err
			}
			answers, err := usage.Count(c.Context(), on.objects, definitions, questions)
			if err != nil {
				return err
			}
			text, err := json.Marshal(answers)
			if err != nil {
				return fmt.Errorf("print result: %w", err)
			}
			_, err = fmt.Fprintln(s.Out, string(text))
			return err
		},
	}
	a.add(c)
	return c
}
