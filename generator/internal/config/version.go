package config

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// version is a label in a form that can be ordered: by date with suffix, or by
// Kubernetes generation, level (alpha, beta, none) and number.
type version struct {
	date, suffix             string
	generation, level, count int
}

var (
	dated      = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:-([a-z0-9.-]+))?$`)
	kubernetes = regexp.MustCompile(`^v(\d{1,6})(?:(alpha|beta)(\d{1,6}))?$`)
)

// levels of Kubernetes labels; no level, the third, is the stable one.
var levels = map[string]int{"alpha": 1, "beta": 2, "": 3}

func parseVersion(label string) (version, bool) {
	label = strings.ToLower(label)
	if match := dated.FindStringSubmatch(label); match != nil {
		return version{date: match[1], suffix: match[2]}, true
	}
	match := kubernetes.FindStringSubmatch(label)
	if match == nil {
		return version{}, false
	}
	generation, _ := strconv.Atoi(match[1])
	count, _ := strconv.Atoi(match[3])
	return version{generation: generation, level: levels[match[2]], count: count}, true
}

// comparable tells whether two versions belong to one ordering.
func (v version) comparable(w version) bool { return (v.date == "") == (w.date == "") }

// compare orders versions: a preview before the stable of its date.
func (v version) compare(w version) int {
	return cmp.Or(
		cmp.Compare(v.date, w.date),
		cmp.Compare(v.stable(), w.stable()),
		cmp.Compare(v.suffix, w.suffix),
		cmp.Compare(v.generation, w.generation),
		cmp.Compare(v.level, w.level),
		cmp.Compare(v.count, w.count),
	)
}

func (v version) stable() int {
	if v.suffix == "" {
		return 1
	}
	return 0
}
