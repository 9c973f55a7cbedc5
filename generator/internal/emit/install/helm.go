package install

import (
	"fmt"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/plan"
)

// charted are what a chart leaves to its users. The names go on in a list that
// stands two deeper than what is around it.
var charted = values{
	namespace: "{{ .Release.Namespace }}",
	image:     "{{ .Values.image }}",
	writers:   "\n  {{- range .Values.hubWriters }}\n  {{ quote . }},\n  {{- end }}",

	operatorImage: "{{ .Values.operator.image }}",
	providers:     "\n{{- toYaml .Values.operator.providers | nindent 4 }}\n",
}

// chartVersion is that of the charts' form; what is in them is the output's.
const chartVersion = "0.1.0"

func helm(p *plan.Plan, o Options) ([]File, error) {
	in := func(name string) string { return path.Join(o.Helm, name) }
	defaults := object{"hubWriters": append([]string{}, o.HubWriters...)}
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
	out := []File{{Path: in("Chart.yaml"), Body: append([]byte(header), chart...)}, {Path: in("values.yaml"), Body: append([]byte(header), values...)}}
	all, err := parts(p, o, charted)
	if err != nil {
		return nil, err
	}
	for _, part := range all {
		body, err := document(part.manifests)
		if err != nil {
			return nil, err
		}
		out = append(out, File{Path: in("templates/" + part.name), Body: template(part.name, body)})
	}
	return append(out, File{Path: in("templates/NOTES.txt"), Body: []byte(notes(o))}), nil
}

// template makes a number of a file of manifests one that users choose.
func template(name string, body []byte) []byte {
	of := ".Values.replicas"
	if name == operatorFile {
		of = ".Values.operator.replicas"
	}
	return []byte(strings.ReplaceAll(string(body), fmt.Sprintf("\n  replicas: %d\n", replicas), "\n  replicas: {{ "+of+" }}\n"))
}

// notes are what Helm prints. They refuse a namespace where CRDs would not find the webhook.
func notes(o Options) string {
	refusal := ""
	if !o.External {
		refusal = fmt.Sprintf("{{- if ne .Release.Namespace %q }}{{ fail %q }}{{ end -}}\n",
			o.Namespace, "the CRDs call the webhook in the namespace "+o.Namespace+": install the chart there")
	}
	return refusal + "This chart contains no CRDs, which are too large for a release. Apply them once the webhook runs:\n\n" +
		"  kubectl apply --server-side -f crds/\n"
}
