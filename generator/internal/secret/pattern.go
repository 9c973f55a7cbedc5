package secret

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern matches paths of JSON names from the root of a body, ignoring case. Each step matches one
// name; anyDepth matches any number. A star for the values of a map is a name too.
type pattern struct {
	steps []step
}

// step matches a name. It caches its results, since names repeat.
type step struct {
	glob     string
	anyDepth bool
	known    map[string]bool
}

// state is a set of positions in a pattern: bit i means that the first i steps have matched. A
// configuration allows at most 50 names in a path, so that the bits of a word suffice.
type state uint64

func newPattern(path string) *pattern {
	p := &pattern{}
	for _, name := range split(path) {
		p.steps = append(p.steps, step{glob: strings.ToLower(name), anyDepth: name == "**", known: map[string]bool{}})
	}
	return p
}

// split splits a path into names. It ignores the brackets of lists. Names in brackets are quoted.
func split(path string) []string {
	var out []string
	for path = strings.ReplaceAll(path, "[]", ""); path != ""; {
		var name string
		if quoted, ok := strings.CutPrefix(path, `["`); ok {
			name, path, _ = strings.Cut(quoted, `"]`)
			path = strings.TrimPrefix(path, ".")
		} else {
			end := strings.IndexByte(path, '.')
			if bracket := strings.Index(path, `["`); bracket >= 0 && (end < 0 || bracket < end) {
				name, path = path[:bracket], path[bracket:]
			} else {
				name, path, _ = strings.Cut(path, ".")
			}
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// start returns the state at the root.
func (p *pattern) start() state { return p.skip(1) }

// skip adds the positions behind steps that may match nothing.
func (p *pattern) skip(s state) state {
	for i := range p.steps {
		if s&(1<<i) != 0 && p.steps[i].anyDepth {
			s |= 1 << (i + 1)
		}
	}
	return s
}

// below returns the state after one more name; 0 if nothing below can match.
func (p *pattern) below(s state, name string) state {
	var out state
	for i := range p.steps {
		switch {
		case s&(1<<i) == 0:
		case p.steps[i].anyDepth:
			out |= 1 << i
		case p.steps[i].matches(name):
			out |= 1 << (i + 1)
		}
	}
	return p.skip(out)
}

// ends reports whether the names so far match the whole pattern.
func (p *pattern) ends(s state) bool { return s&(1<<len(p.steps)) != 0 }

func (s *step) matches(name string) bool {
	name = strings.ToLower(name)
	if !strings.ContainsAny(s.glob, `*?[{\`) {
		return s.glob == name
	}
	is, ok := s.known[name]
	if !ok {
		is = doublestar.MatchUnvalidated(s.glob, strings.ReplaceAll(name, "/", ":"))
		s.known[name] = is
	}
	return is
}
