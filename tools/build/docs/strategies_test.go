package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// strategies are those of the declarative conversion operator.
var strategies = strings.Fields(`arrayToMapByKey branchMap cel constant defaultValue delete duration enumRemap fieldRename
	fieldsToMap fieldsToScalar forEach fromAnnotation fromLabel jsonPatch listJoin listSplit mapKeyRename mapToArrayByKey
	mapToFields numericScale objectToScalar objectToSingletonArray quantity scalarToFields scalarToObject
	singletonArrayToObject toAnnotation toLabel typeCoerce`)

// otherwise are strategies that the scripts of this page do not run, and why.
var otherwise = map[string]string{
	"defaultValue":   "versioned-*.txtar run added fields with defaults, and API servers apply those of schemas",
	"fromAnnotation": "the page says that conversions do not change metadata",
	"fromLabel":      "the page says that conversions do not change metadata",
}

// TestStrategies checks that the page on the declarative conversion operator names each strategy in
// one row, and that a script runs what the row says.
func TestStrategies(t *testing.T) {
	page := textOf(t, "../../../docs/guide/howto/come-from-declarative-conversion.md")
	var named []string
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, found := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[1], -1) {
				named = append(named, found[1])
			}
		}
	}
	slices.Sort(named)
	if !slices.Equal(named, strategies) {
		t.Errorf("the page has %v, want %v", named, strategies)
	}
	const scripts = "../../../generator/internal/engine/testdata/declared/"
	text := textOf(t, scripts+"strategies.txtar") + textOf(t, scripts+"steps.txtar")
	var run []string
	for _, comment := range regexp.MustCompile(`(?m)^\s+(?:#|//) (.*)$`).FindAllString(text, -1) {
		run = append(run, regexp.MustCompile(`\w+`).FindAllString(comment, -1)...)
	}
	for _, name := range strategies {
		if isRun := slices.Contains(run, name); isRun == (otherwise[name] != "") {
			t.Errorf("%s: a script runs it: %t; in the list of the others: %q", name, isRun, otherwise[name])
		}
	}
}
