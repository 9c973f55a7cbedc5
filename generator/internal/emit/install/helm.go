package install

import (
	"fmt"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/plan"
)

// charted are the values that users of a chart set, beside the kinds. The writers continue a list
// that is indented by two spaces.
var charted = values{
	namespace: "{{ .Release.Namespace }}",
	image:     "{{ .Values.image }}",
	writers:   "\n  {{- range .Values.hubWriters }}\n  {{ quote . }},\n  {{- end }}",

	operatorImage: "{{ .Values.operator.image }}",
	providers:     "\n{{- toYaml .Values.operator.providers | nindent 4 }}\n",
	selectable:    true,
}

// chartVersion is the version of the charts' form, not of their contents.
const chartVersion = "0.1.0"

func helm(p *plan.Plan, o Options) ([]File, error) {
	in := func(name string) string { return path.Join(o.Helm, name) }
	defaults := object{"hubWriters": append([]string{}, o.HubWriters...), "kinds": []string{}}
	if !o.External {
		defaults["image"], defaults["replicas"] = o.Image, replicas
	}
	if o.Operator != nil {
		defaults["operator"] = object{"image": o.Operator.Image, "replicas": replicas, "providers": defaultProviders()}
	}
	values, err := kubeyaml.Marshal(defaults)
	if err != nil {
		return nil, err
	}
	chart, err := kubeyaml.Marshal(object{
		"apiVersion": "v2", "name": o.Service, "type": "application", "version": chartVersion,
		"description": "The conversion webhook of custom resources, and the policies that guard their versions.",
	})
	if err != nil {
		return nil, err
	}
	schema, err := valuesSchema(p, o)
	if err != nil {
		return nil, err
	}
	out := []File{
		{Path: in("Chart.yaml"), Body: append([]byte(header), chart...)},
		{Path: in("values.schema.json"), Body: schema},
		{Path: in("values.yaml"), Body: append([]byte(header), values...)},
	}
	all, err := parts(p, o, charted)
	if err != nil {
		return nil, err
	}
	for _, part := range all {
		body, err := document(part.manifests)
		if err != nil {
			return nil, err
		}
		out = append(out, File{Path: in("templates/" + part.name), Body: template(p, part.name, body)})
	}
	return append(out, File{Path: in("templates/NOTES.txt"), Body: []byte(notes(o))}), nil
}

// template replaces the number of replicas in a file of manifests by a value that users set, and
// the marks of kinds by conditions.
func template(p *plan.Plan, name string, body []byte) []byte {
	of := ".Values.replicas"
	if name == operatorFile {
		of = ".Values.operator.replicas"
	}
	text := strings.ReplaceAll(string(body), fmt.Sprintf("\n  replicas: %d\n", replicas), "\n  replicas: {{ "+of+" }}\n")
	return []byte(conditional(p, text))
}

// notes returns the text that Helm prints. It refuses a namespace in which CRDs would not find
// the webhook.
func notes(o Options) string {
	refusal := ""
	if !o.External {
		refusal = fmt.Sprintf("{{- if ne .Release.Namespace %q }}{{ fail %q }}{{ end -}}\n",
			o.Namespace, "the CRDs call the webhook in the namespace "+o.Namespace+": install the chart there")
	}
	return refusal + "This chart contains no CRDs, which are too large for a release. Apply them once the webhook runs:\n\n" +
		"  kubectl apply --server-side -f crds/\n"
}
