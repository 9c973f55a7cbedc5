package importrules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/packages"
)

const ours = "github.com/stratakube/strata"

// Ban forbids imports. All lists are patterns of package paths.
type Ban struct {
	In      []string // the packages that it is about
	NotIn   []string // and those among them that it is not about
	Imports []string // what they may not import
	But     []string // and what of that they may
	Tests   bool     // whether it is about their tests, too
	Reason  string   // why: a sentence that goes on after "because"
}

// Breach is an import that a ban forbids.
type Breach struct {
	Package, Import string
	Reason          string
}

func (b Breach) String() string {
	return fmt.Sprintf("%s imports %s, which it may not, because %s", short(b.Package), short(b.Import), b.Reason)
}

// Breaches lists what bans forbid in the packages, in the order of the packages.
func Breaches(all []packages.Package, bans []Ban) []Breach {
	var found []Breach
	for _, p := range all {
		for _, ban := range bans {
			if !ban.isAbout(p.ImportPath) {
				continue
			}
			for _, path := range ban.looksAt(p) {
				if path != p.ImportPath && ban.forbids(path) {
					found = append(found, Breach{Package: p.ImportPath, Import: path, Reason: ban.Reason})
				}
			}
		}
	}
	return found
}

// Stale lists the patterns of bans that match none of the packages, once each. Only patterns of
// paths of ours count.
func Stale(all []packages.Package, bans []Ban) []string {
	var stale []string
	for _, ban := range bans {
		for _, pattern := range slices.Concat(ban.In, ban.NotIn, ban.Imports, ban.But) {
			isUsed := func(p packages.Package) bool { return match(pattern, p.ImportPath) }
			if strings.HasPrefix(pattern, "~") && !slices.ContainsFunc(all, isUsed) && !slices.Contains(stale, pattern) {
				stale = append(stale, pattern)
			}
		}
	}
	return stale
}

func (b Ban) isAbout(path string) bool { return matches(b.In, path) && !matches(b.NotIn, path) }

func (b Ban) forbids(path string) bool { return matches(b.Imports, path) && !matches(b.But, path) }

func (b Ban) looksAt(p packages.Package) []string {
	if !b.Tests {
		return p.Imports
	}
	imports := append(p.OfTests(), p.Imports...)
	slices.Sort(imports)
	return slices.Compact(imports)
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return match(pattern, path) })
}

func match(pattern, path string) bool {
	if pattern == "std" {
		first, _, _ := strings.Cut(path, "/")
		return !strings.Contains(first, ".")
	}
	if rest, ok := strings.CutPrefix(pattern, "~"); ok {
		pattern = ours + rest
	}
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if below, ok := strings.CutSuffix(expression, `/.*`); ok {
		expression = below + `(/.*)?`
	}
	return regexp.MustCompile("^" + expression + "$").MatchString(path)
}

func short(path string) string {
	if rest, ok := strings.CutPrefix(path, ours+"/"); ok {
		return "~/" + rest
	}
	return path
}
