package install

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// The users of a chart select kinds by its value kinds. A manifest of the chart has marks where it
// depends on them, and the marks become conditions of the template:
//
//   - ofKind marks an element of a list that belongs to a kind;
//   - ofGroup marks a rule, by its API group, that belongs to all kinds of a group;
//   - selectedManifest is a manifest of one kind;
//   - selectorsPlaceholder stands for the operator's arguments, and crdsPlaceholder for the list of
//     CRDs.
const (
	kindPrefix           = "{{kind "
	groupPrefix          = "{{group "
	placeholderEnd       = "}}"
	selectorsPlaceholder = "{{selectors}}"
	crdsPlaceholder      = "{{ join `,` $crds }}"
)

// ofKind returns an element of a list that belongs to a kind.
func (v values) ofKind(k *plan.Kind, text string) string {
	if !v.selectable {
		return text
	}
	return kindPrefix + selectorOf(k) + placeholderEnd + text
}

// ofGroup returns the API group of a rule.
func (v values) ofGroup(group string) string {
	if !v.selectable {
		return group
	}
	return groupPrefix + group + placeholderEnd + group
}

// selectorOf returns the selector of a kind.
func selectorOf(k *plan.Kind) string { return k.Group.Chain.Name + "/" + k.Name }

// selectedManifest is a manifest that belongs to a kind.
type selectedManifest struct {
	kind     string
	manifest any
}

func (s selectedManifest) begin() string { return ifSelected("$kinds", s.kind) }

const endOfSelection = "{{- end }}\n"

func ifSelected(list, name string) string { return fmt.Sprintf("{{- if has %q %s }}\n", name, list) }

var (
	markedKind  = regexp.MustCompile(`^( *- ")\{\{kind ([^ }]+)\}\}`)
	markedGroup = regexp.MustCompile(`^( *- ")\{\{group ([^ }]+)\}\}`)
	firstGroup  = regexp.MustCompile(`^( *)- apiGroups:\n$`)
	selectorArg = regexp.MustCompile(`^( *- )"\{\{selectors\}\}"\n$`)
)

// conditional replaces the marks of a file by conditions. A file without marks stays as it is.
func conditional(p *plan.Plan, text string) string {
	var out strings.Builder
	lines := strings.SplitAfter(strings.TrimPrefix(text, header), "\n")
	inRule := -1 // the indentation of a rule that belongs to a group
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if inRule >= 0 && indent <= inRule {
			out.WriteString(endOfSelection)
			inRule = -1
		}
		if m := firstGroup.FindStringSubmatch(line); m != nil {
			if group := markedGroup.FindStringSubmatch(lines[i+1]); group != nil {
				out.WriteString(ifSelected("$groups", group[2]))
				inRule = len(m[1])
			}
		}
		switch {
		case markedKind.MatchString(line):
			kind := markedKind.FindStringSubmatch(line)[2]
			out.WriteString(ifSelected("$kinds", kind) + markedKind.ReplaceAllString(line, "$1") + endOfSelection)
		case selectorArg.MatchString(line):
			at := selectorArg.FindStringSubmatch(line)[1]
			out.WriteString("{{- range .Values.kinds }}\n" + at + `"--kinds={{ . }}"` + "\n{{- else }}\n")
			for _, selector := range selectors(p) {
				out.WriteString(at + strconv.Quote("--kinds="+selector) + "\n")
			}
			out.WriteString(endOfSelection)
		default:
			out.WriteString(markedGroup.ReplaceAllString(line, "$1"))
		}
	}
	if inRule >= 0 {
		out.WriteString(endOfSelection)
	}
	return header + chosen(p, out.String()) + out.String()
}

// chosen sets the variables that the conditions of a template name.
func chosen(p *plan.Plan, text string) string {
	var kinds, names []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			kinds = append(kinds, strconv.Quote(selectorOf(k)))
			names = append(names, strconv.Quote(selectorOf(k))+" "+strconv.Quote(definitionName(k)))
		}
	}
	out := "{{- $kinds := .Values.kinds | default (list " + strings.Join(kinds, " ") + ") }}\n"
	used := false
	for _, list := range []struct{ name, each string }{
		{"$groups", `splitList "/" . | first`},
		{"$crds", "get (dict " + strings.Join(names, " ") + ") ."},
	} {
		if strings.Contains(text, " "+list.name+" }}") {
			out += "{{- " + list.name + " := list }}\n{{- range $kinds }}\n{{- " + list.name + " = append " + list.name + " (" + list.each + ") }}\n{{- end }}\n"
			used = true
		}
	}
	if !used && !strings.Contains(text, " $kinds }}") {
		return ""
	}
	return out
}
