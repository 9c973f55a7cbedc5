package syntax

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// reader converts syntax trees to values.
type reader struct {
	limits  Limits
	lines   *diag.Lines
	values  int
	aliases int // that enclose the value
	aliased int // values below aliases
}

// maxAliased is the largest number of values below aliases in a file, each counted wherever it is
// used: a few lines can stand for billions. Real files use a few thousand.
const maxAliased = 1 << 18

func parseYAML(body []byte, limits Limits) ([]*Value, error) {
	r := &reader{limits: limits, lines: diag.NewLines(body)}
	roots, err := yaml.Documents(body, math.MaxInt)
	if err != nil {
		return nil, r.syntax(err)
	}
	var out []*Value
	for _, root := range roots {
		v, err := r.value(root, 0)
		if err != nil {
			return nil, err
		}
		if v.kind != Null {
			out = append(out, v)
		}
	}
	return out, nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntax adds a position to an error of the library, if the library names one.
func (r *reader) syntax(err error) error {
	text, offset := strings.TrimPrefix(err.Error(), "yaml: "), -1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		text, offset = text[len(m[0]):], r.lines.Offset(line, 1)
	}
	return &SyntaxError{offset, "not YAML: " + text}
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) error {
	return &SyntaxError{r.lines.Offset(n.Line, n.Column), fmt.Sprintf(format, args...)}
}

func (r *reader) value(n *yaml.Node, depth int) (*Value, error) {
	if r.values++; r.values > r.limits.Values {
		return nil, r.fail(n, "more than %d values", r.limits.Values)
	}
	if r.aliases > 0 {
		if r.aliased++; r.aliased > maxAliased {
			return nil, r.fail(n, "more than %d values behind aliases", maxAliased)
		}
	}
	if depth > r.limits.Depth {
		return nil, r.fail(n, "nested deeper than %d", r.limits.Depth)
	}
	at := r.lines.Offset(n.Line, n.Column)
	v := &Value{offset: at, nameAt: at}
	switch n.Kind {
	case yaml.AliasNode:
		r.aliases++
		defer func() { r.aliases-- }()
		v, err := r.value(n.Alias, depth+1)
		if v != nil {
			v.behind = true
		}
		return v, err
	case yaml.MappingNode:
		v.kind = Object
		return v, r.members(v, n, depth)
	case yaml.SequenceNode:
		v.kind = List
		for _, c := range n.Content {
			child, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			v.children = append(v.children, child)
		}
		v.index()
		return v, nil
	}
	return v, r.scalar(v, n)
}

// members reads the members of an object. Its own members take precedence over those of a merge
// key.
func (r *reader) members(v *Value, n *yaml.Node, depth int) error {
	var merged []*Value
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		child, err := r.value(n.Content[i+1], depth+1)
		switch {
		case err != nil:
			return err
		case key.Kind != yaml.ScalarNode:
			return r.fail(key, "a member's name must be a plain word")
		case key.Tag == "!!merge":
			merged = append(merged, child)
			continue
		case seen[key.Value]:
			return r.fail(key, "the member %q appears twice in one object", key.Value)
		}
		seen[key.Value] = true
		member := *child
		member.name, member.nameAt = key.Value, r.lines.Offset(key.Line, key.Column)
		v.children = append(v.children, &member)
	}
	for _, from := range merged {
		v.merge(from, seen)
	}
	v.index()
	return nil
}

// merge adds the members of an object, or of a list of objects, that v does not have.
func (v *Value) merge(from *Value, seen map[string]bool) {
	for _, c := range from.children {
		switch {
		case from.kind == List:
			v.merge(c, seen)
		case !seen[c.name]:
			seen[c.name], c.behind = true, true
			v.children = append(v.children, c)
		}
	}
}

// booleans are the plain words that Kubernetes clients read as booleans, beside those of all YAML
// readers.
var booleans = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

// plain is the style of a scalar without quotes, block or tag.
const plain = 0

func (r *reader) scalar(v *Value, n *yaml.Node) error {
	switch n.Tag {
	case "!!null":
		v.kind = Null
	case "!!bool":
		v.kind, v.text = Bool, strings.ToLower(n.Value)
	case "!!int", "!!float":
		v.kind = Number
		if v.text = number(n.Value); v.text == "" {
			return r.fail(n, "%q is no number of JSON", n.Value)
		}
	default:
		v.kind, v.text = String, n.Value
		if is, ok := booleans[n.Value]; ok && n.Style == plain {
			v.kind, v.text = Bool, strconv.FormatBool(is)
		}
	}
	return nil
}

// number returns a YAML number as JSON; empty if JSON has no such number.
func number(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	text = strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
