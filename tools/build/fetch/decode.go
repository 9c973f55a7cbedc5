package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxSourcesBytes bounds the file of pins.
const maxSourcesBytes = 1 << 20

// ReadSources reads the file of pins, strictly: every key must be known and every
// one is needed. All its mistakes are reported, each with line and column.
func ReadSources(path string) ([]Source, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fetch: read the pins: %w", err)
	}
	return parseSources(path, data)
}

func parseSources(path string, data []byte) ([]Source, error) {
	if len(data) > maxSourcesBytes {
		return nil, fmt.Errorf("fetch: %s: larger than %s", path, size(maxSourcesBytes))
	}
	document, err := oneDocument(data)
	if err != nil {
		return nil, fmt.Errorf("fetch: %s: %w", path, err)
	}
	d := &decoder{file: path}
	sources := d.document(document)
	return sources, errors.Join(d.errs...)
}

var errEmpty = errors.New("empty: it needs apiVersion, kind and sources")

// oneDocument parses data, which must hold exactly one document.
func oneDocument(data []byte) (*yaml.Node, error) {
	in := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	switch err := in.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, errEmpty
	case err != nil:
		return nil, err
	}
	if len(first.Content) == 0 {
		return nil, errEmpty
	}
	if err := in.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document")
	}
	return first.Content[0], nil
}

// decoder decodes nodes to sources, and collects their faults.
type decoder struct {
	file string
	errs []error
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("fetch: %s:%d:%d: %s", d.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

func (d *decoder) document(n *yaml.Node) []Source {
	var sources []Source
	d.mapping(n, keys{
		"apiVersion": d.constant("strata.dev/v1alpha1"),
		"kind":       d.constant("Sources"),
		"sources": func(n *yaml.Node) {
			names := map[string]int{}
			for _, item := range d.items(n) {
				sources = append(sources, d.source(item, names))
			}
		},
	})
	return sources
}

func (d *decoder) source(n *yaml.Node, names map[string]int) Source {
	var s Source
	var bytes, files int64
	d.mapping(n, keys{
		"name": func(n *yaml.Node) {
			d.text(nameForm, nameRule, &s.Name)(n)
			if line, ok := names[s.Name]; ok && s.Name != "" {
				d.fail(n, "source %q already stands in line %d", s.Name, line)
			}
			names[s.Name] = n.Line
		},
		"repository": d.text(repositoryForm, repositoryRule, &s.Repository),
		"commit":     d.text(commitForm, commitRule, &s.Commit),
		"paths":      d.patterns(&s.Paths),
		"files":      d.count(&files),
		"bytes":      d.count(&bytes),
		"sha256":     d.text(digestForm, digestRule, &s.SHA256),
	})
	s.Files, s.Bytes = int(files), bytes
	return s
}

// keys are all the keys of a mapping, each with the reader of its value.
type keys map[string]func(*yaml.Node)

func (k keys) sorted() []string {
	var names []string
	for name := range k {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (d *decoder) mapping(n *yaml.Node, known keys) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "want keys and values: %s", strings.Join(known.sorted(), ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		d.pair(n.Content[i], n.Content[i+1], known, seen)
	}
	for _, name := range known.sorted() {
		if !seen[name] {
			d.fail(n, "key %q is missing", name)
		}
	}
}

func (d *decoder) pair(key, value *yaml.Node, known keys, seen map[string]bool) {
	read, ok := known[key.Value]
	switch {
	case !ok:
		d.fail(key, "unknown key %q; known are %s", key.Value, strings.Join(known.sorted(), ", "))
		return
	case seen[key.Value]:
		d.fail(key, "key %q stands twice", key.Value)
		return
	}
	seen[key.Value] = true
	read(value)
}

func (d *decoder) items(n *yaml.Node) []*yaml.Node {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		d.fail(n, "want a list with at least one item")
		return nil
	}
	return n.Content
}

func (d *decoder) constant(want string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value != want {
			d.fail(n, "want %s", want)
		}
	}
}

// text accepts a scalar as it is written, so that a hash of digits alone needs no quotes.
func (d *decoder) text(form *regexp.Regexp, rule string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !form.MatchString(n.Value) {
			d.fail(n, "%q is not %s", n.Value, rule)
			return
		}
		*dst = n.Value
	}
}

func (d *decoder) count(dst *int64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
			d.fail(n, "%q is not a positive whole number", n.Value)
			return
		}
		*dst = v
	}
}

func (d *decoder) patterns(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, item := range d.items(n) {
			if item.Kind != yaml.ScalarNode {
				d.fail(item, "want a glob")
			} else if err := checkPattern(item.Value); err != nil {
				d.fail(item, "%v", err)
			}
			*dst = append(*dst, item.Value)
		}
	}
}
