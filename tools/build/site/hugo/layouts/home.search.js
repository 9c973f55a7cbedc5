{{- $pages := slice -}}
{{- range site.Pages -}}
{{- $sections := slice -}}
{{- range .Fragments.HeadingsMap -}}{{- $sections = $sections | append (dict "t" .Title "i" .ID) -}}{{- end -}}
{{- if .Plain -}}{{- $pages = $pages | append (dict "title" .Title "url" (strings.TrimPrefix "/" .RelPermalink) "headings" $sections "text" (.Plain | htmlUnescape)) -}}{{- end -}}
{{- end -}}
window.strataSearch({{ $pages | jsonify }});
