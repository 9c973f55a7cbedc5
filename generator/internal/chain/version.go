package chain

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Version is one version of a resource in its chain.
type Version struct {
	Model   *model.Version
	Label   string   // the Kubernetes label: v20140404preview
	Preview bool     // a preview, alpha or beta
	Leaf    bool     // not on the main line
	Next    *Version // the neighbour towards the hub; nil for the hub itself
	Index   int      // its place in Resource.Versions

	rank rank
}

// rank orders versions: three numbers, then the stage (previews before the
// stable version of their date), then the spelling.
type rank struct {
	numbers [3]int
	stage   int
	suffix  string
	minor   int
	label   string
}

func (a rank) compare(b rank) int {
	return cmp.Or(
		slices.Compare(a.numbers[:], b.numbers[:]),
		cmp.Compare(a.stage, b.stage),
		compareNumbered(a.suffix, b.suffix),
		cmp.Compare(a.minor, b.minor),
		cmp.Compare(a.label, b.label),
	)
}

// compareNumbered compares texts so that numbers in them count as numbers:
// preview.2 is before preview.10.
func compareNumbered(a, b string) int {
	x, y := pieces.FindAllString(a, -1), pieces.FindAllString(b, -1)
	return slices.CompareFunc(x, y, func(p, q string) int {
		return cmp.Or(cmp.Compare(number(p), number(q)), cmp.Compare(p, q))
	})
}

const stable = 9 // the stage of versions that are no previews

var (
	dated      = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:-(.+))?$`)
	numbered   = regexp.MustCompile(`^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-(.+))?$`)
	generation = regexp.MustCompile(`^v(\d+)(?:(alpha|beta)(\d+))?$`)
	notLabel   = regexp.MustCompile(`[^a-z0-9]+`)
	pieces     = regexp.MustCompile(`\d+|\D+`)
)

// parse reads a vendor's version name: a date, a number, or a Kubernetes label.
// A label that ends like those of storage types is none.
func parse(name string) (label string, r rank, ok bool) {
	if m := generation.FindStringSubmatch(name); m != nil {
		r.numbers[0], r.minor, r.label = number(m[1]), number(m[3]), name
		r.stage = map[string]int{"alpha": 1, "beta": 2, "": stable}[m[2]]
		return name, r, true
	}
	m := dated.FindStringSubmatch(name)
	sep := ""
	if m == nil {
		m, sep = numbered.FindStringSubmatch(name), "x"
	}
	if m == nil {
		return "", r, false
	}
	label = "v" + m[1]
	for i := range r.numbers {
		r.numbers[i] = number(m[1+i])
		if i > 0 && m[1+i] != "" {
			label += sep + m[1+i]
		}
	}
	r.suffix, r.stage = strings.ToLower(m[4]), stable
	if r.suffix != "" {
		r.stage = 1
	}
	label += notLabel.ReplaceAllString(r.suffix, "")
	r.label = label
	return label, r, !strings.HasSuffix(label, "storage")
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// Label is the Kubernetes label of a vendor's version name, and whether it is
// the name of a version at all.
func Label(name string) (string, bool) {
	label, _, ok := parse(name)
	return label, ok
}

// Compare orders two vendors' version names.
func Compare(a, b string) int {
	_, x, _ := parse(a)
	_, y, _ := parse(b)
	return x.compare(y)
}

// line sorts versions, picks the hub and links neighbours. Leading previews and
// stable versions are the main line; every later preview is a leaf on the
// stable version just before it.
func line(versions []*Version) (hub *Version) {
	slices.SortFunc(versions, func(a, b *Version) int { return a.rank.compare(b.rank) })
	var last *Version // on the main line
	seen := false     // a stable version
	for i, v := range versions {
		v.Index, v.Preview = i, v.rank.stage != stable
		seen = seen || !v.Preview
		if v.Leaf = v.Preview && seen; v.Leaf {
			v.Next = last
			continue
		}
		if last != nil {
			last.Next = v
		}
		last = v
	}
	return last
}
