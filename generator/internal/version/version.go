package version

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Style is the form of a version's name. The order of versions of different styles has no meaning.
type Style uint8

// The styles: a date (2014-04-04-preview), a number (1.0), or a Kubernetes label (v1beta1),
// including labels of dates (v20140404preview).
const (
	Date Style = iota
	Number
	Label
)

// Version is a parsed name. The zero value is none.
type Version struct {
	style   Style
	label   string
	numbers [3]int // year, month, day; up to three numbers; or the generation
	stage   stage
	count   int    // the n of v1beta{n}
	suffix  string // what follows the date or number, in lower case
}

// stage orders the versions of one date, number or generation.
type stage uint8

const (
	suffixed stage = iota // a date or number with any suffix
	alpha
	beta
	stable
)

var (
	dated    = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:-(` + suffix + `))?$`)
	numbered = regexp.MustCompile(`^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([a-z](?:` + suffix + `)?))?$`)
	labelled = regexp.MustCompile(`^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$`)
	ofAPI    = regexp.MustCompile(`^v1api(\d{8})([a-z][a-z0-9]*)?$`) // as Azure Service Operator names versions
	ofDay    = regexp.MustCompile(`^v(\d{8})([a-z][a-z0-9]*)$`)
	notLabel = regexp.MustCompile(`[^a-z0-9]+`)
	pieces   = regexp.MustCompile(`\d+|\D+`)
)

const suffix = `[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?`

// storage is the end of labels of storage types, which no other label may have.
const storage = "storage"

// Storage returns the Kubernetes name of the storage version that belongs to the version of a
// label. Other programs name theirs so, too.
func Storage(label string) string { return label + storage }

// OwnStorage is Storage for a group whose objects another program has stored in versions of those
// names. A version has one format only, so that Strata's versions have names of their own.
func OwnStorage(label string) string { return label + "strata" + storage }

// OfStorage returns the label of the version to which a storage version belongs. It reports whether
// name is one.
func OfStorage(name string) (label string, ok bool) {
	label, ok = strings.CutSuffix(strings.ToLower(name), storage)
	if !ok {
		return "", false
	}
	_, ok = Parse(label)
	return label, ok
}

// IsStorage reports whether a name is one of Storage or OwnStorage.
func IsStorage(name string) bool {
	label, ok := strings.CutSuffix(strings.ToLower(name), storage)
	if !ok {
		return false
	}
	_, ok = Parse(strings.TrimSuffix(label, "strata"))
	return ok
}

// Parse parses a version's name, ignoring case. It returns false for a name that is not a version,
// or whose label would be that of a storage type.
func Parse(name string) (Version, bool) {
	v, ok := parse(strings.ToLower(name))
	if !ok || strings.HasSuffix(v.label, storage) {
		return Version{}, false
	}
	return v, true
}

func parse(name string) (Version, bool) {
	if m := labelled.FindStringSubmatch(name); m != nil {
		v := Version{style: Label, label: name, stage: stages[m[2]], count: number(m[3])}
		v.numbers[0] = number(m[1])
		return v, true
	}
	if m := ofAPI.FindStringSubmatch(name); m != nil {
		v := Version{style: Label, label: name, numbers: [3]int{number(m[1])}, stage: stable, suffix: m[2]}
		if v.suffix != "" {
			v.stage = suffixed
		}
		return v, true
	}
	if m := ofDay.FindStringSubmatch(name); m != nil {
		return Version{style: Label, label: name, numbers: [3]int{number(m[1])}, suffix: m[2]}, true
	}
	if m := dated.FindStringSubmatch(name); m != nil {
		return ofNumbers(Date, m[1:4], "", m[4]), true
	}
	if m := numbered.FindStringSubmatch(name); m != nil {
		return ofNumbers(Number, m[1:4], "x", m[4]), true
	}
	return Version{}, false
}

var stages = map[string]stage{"alpha": alpha, "beta": beta, "": stable}

// ofNumbers returns a version of up to three numbers, which its label separates by separator.
func ofNumbers(style Style, numbers []string, separator, suffix string) Version {
	v := Version{style: style, stage: stable, suffix: suffix}
	for i, n := range numbers {
		v.numbers[i] = number(n)
	}
	present := slices.DeleteFunc(slices.Clone(numbers), func(n string) bool { return n == "" })
	v.label = "v" + strings.Join(present, separator) + notLabel.ReplaceAllString(suffix, "")
	if suffix != "" {
		v.stage = suffixed
	}
	return v
}

// number parses digits; other texts are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// Style returns the form of the version's name.
func (v Version) Style() Style { return v.style }

// Label returns the Kubernetes name of the version: v20140404preview. Different names can have the
// same label.
func (v Version) Label() string { return v.label }

// IsPreview reports whether this is a preview: a date or number with any suffix, or an alpha or
// beta label.
func (v Version) IsPreview() bool { return v.stage != stable }

// IsPossible reports whether the day of a dated version exists; it is true for others.
func (v Version) IsPossible() bool {
	year, month, day := v.numbers[0], time.Month(v.numbers[1]), v.numbers[2]
	there := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return v.style != Date || there.Month() == month && there.Day() == day
}

// Compare orders versions: by date, number or generation, previews before the stable version, alpha
// before beta. Digits in the suffix of a date compare as numbers. Versions with different labels
// are never equal.
func (v Version) Compare(w Version) int {
	return cmp.Or(
		slices.Compare(v.numbers[:], w.numbers[:]),
		cmp.Compare(v.stage, w.stage),
		compareNumbered(v.suffix, w.suffix),
		cmp.Compare(v.count, w.count),
		cmp.Compare(v.label, w.label),
	)
}

// compareNumbered compares texts so that digits in them compare as numbers: preview.2 is before
// preview.10.
func compareNumbered(a, b string) int {
	x, y := pieces.FindAllString(a, -1), pieces.FindAllString(b, -1)
	return slices.CompareFunc(x, y, func(p, q string) int {
		return cmp.Or(cmp.Compare(number(p), number(q)), cmp.Compare(p, q))
	})
}
