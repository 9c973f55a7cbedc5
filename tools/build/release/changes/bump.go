package changes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// Bump is the number of a version that a change raises.
type Bump int

// The bumps in their order. Before v1 a break raises the second number.
const (
	None Bump = iota
	Patch
	Minor
	Major
)

func (b Bump) String() string { return [...]string{"nothing", "patch", "minor", "major"}[b] }

// Change is a change that the users of a module notice.
type Change struct {
	API  string // what they use: a package, a command, a format
	Bump Bump
	Text string
}

func (c Change) String() string { return fmt.Sprintf("%s: %s", c.API, c.Text) }

// Most returns the highest bump of the changes.
func Most(changes []Change) Bump {
	most := None
	for _, c := range changes {
		most = max(most, c.Bump)
	}
	return most
}

// First is the version of a module's first release.
const First = "v0.1.0"

// Next returns the smallest version after last that permits a bump.
func Next(last string, b Bump) string {
	if last == "" {
		return First
	}
	n := numbers(last)
	if semver.Prerelease(last) != "" && allowed(last, b) {
		return format(n)
	}
	if b == Major && n[0] == 0 {
		b = Minor
	}
	switch b {
	case Major:
		n = [3]int{n[0] + 1}
	case Minor:
		n = [3]int{n[0], n[1] + 1}
	default:
		n[2]++
	}
	return format(n)
}

// allowed reports whether the release that a pre-release precedes permits a bump.
func allowed(pre string, b Bump) bool {
	n := numbers(pre)
	return b <= Patch || n[2] == 0 && (b == Minor || n[0] == 0 || n[1] == 0)
}

// TooSmall returns the changes that a version does not permit.
func TooSmall(last, version string, changes []Change) []Change {
	if last == "" || semver.Compare(version, last) <= 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return semver.Compare(version, Next(last, c.Bump)) >= 0 || semver.Prerelease(version) != "" && semver.Compare(format(numbers(version)), Next(last, c.Bump)) >= 0
	})
}

// numbers are the three numbers of a valid version.
func numbers(version string) (n [3]int) {
	core := strings.TrimPrefix(strings.TrimSuffix(semver.Canonical(version), semver.Prerelease(version)), "v")
	for i, word := range strings.Split(core, ".") {
		n[i], _ = strconv.Atoi(word)
	}
	return n
}

func format(n [3]int) string { return fmt.Sprintf("v%d.%d.%d", n[0], n[1], n[2]) }
