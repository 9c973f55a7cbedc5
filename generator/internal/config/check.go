package config

import (
	"go/token"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/version"
)

// globs decodes a list of doublestar patterns over slash paths.
func (d *decoder) globs(v value) []string {
	var all []string
	d.nonEmpty(v, func(v value) {
		if glob := d.glob(v); glob != "" {
			all = append(all, glob)
		}
	})
	return all
}

// glob decodes one doublestar pattern for slash paths. After an error, which it reports, it returns
// "".
func (d *decoder) glob(v value) string {
	glob, ok := d.text(v)
	if !ok {
		return ""
	}
	if problem := globProblem(glob); problem != "" {
		d.errorf(v, "bad glob %q: %s", glob, problem)
		return ""
	}
	return glob
}

func globProblem(glob string) string {
	switch {
	case strings.Contains(glob, `\`):
		return "folders are separated by /"
	case strings.HasPrefix(glob, "/"):
		return "it is relative, so it starts without /"
	case path.Clean(glob) != glob || glob == "." || glob == ".." || strings.HasPrefix(glob, "../"):
		return "it would match nothing: no ., .., double slash or slash at the end"
	case !doublestar.ValidatePattern(glob):
		return "a bracket or brace is not closed, or empty"
	}
	return ""
}

var importElement = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

func (d *decoder) importPath(v value) string {
	text, ok := d.text(v)
	if !ok {
		return ""
	}
	for element := range strings.SplitSeq(text, "/") {
		if !importElement.MatchString(element) || strings.HasSuffix(element, ".") {
			d.add(diag.Errorf(d.pos(v), "%q is not a Go import path", text).WithHint("such as `example.com/demo/api`"))
			return ""
		}
	}
	return text
}

var dnsName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

func (d *decoder) isDNSName(v value, text string) bool {
	if dnsName.MatchString(text) && len(text) <= 200 {
		return true
	}
	d.add(diag.Errorf(d.pos(v), "%q is not a DNS name with a dot in it", text).WithHint("such as `example.com`"))
	return false
}

var folderName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

func (d *decoder) isFolder(v value, name string) bool {
	if folderName.MatchString(name) {
		return true
	}
	folder := strings.ToLower(name)
	folder = strings.ReplaceAll(strings.TrimPrefix(folder, "microsoft."), ".", "-")
	m := diag.Errorf(d.pos(v), "%q is not the folder of a group", name)
	if folderName.MatchString(folder) {
		m = m.WithHint("did you mean %q?", folder)
	}
	d.add(m)
	return false
}

func (d *decoder) isVersion(v value) {
	if _, ok := version.Parse(v.Value); !ok {
		d.add(diag.Errorf(d.pos(v), "%q is not a version", v.Value).WithHint(`as the source spells it, "2014-04-04-preview"`))
	}
}

func (d *decoder) isGoType(v value, name string) bool {
	return d.isGoName(v, name, "the name of a Go type")
}

// isGoName checks a name. what says in a message what it must be.
func (d *decoder) isGoName(v value, name, what string) bool {
	if token.IsIdentifier(name) && token.IsExported(name) {
		return true
	}
	m := diag.Errorf(d.pos(v), "%q is not %s", name, what)
	first, size := utf8.DecodeRuneInString(name)
	if raised := string(unicode.ToUpper(first)) + name[size:]; token.IsExported(raised) && token.IsIdentifier(raised) {
		m = m.WithHint("did you mean %q?", raised)
	}
	d.add(m)
	return false
}

// suggesting adds the nearest of the words as a hint, or all of them.
func suggesting(m diag.Message, word string, words []string) diag.Message {
	if near := diag.Nearest(word, words); near != "" {
		return m.WithHint("did you mean %q?", near)
	}
	return m.WithHint("known here: %s", strings.Join(words, ", "))
}
