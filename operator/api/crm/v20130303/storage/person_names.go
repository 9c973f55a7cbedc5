package storage

import (
	"strings"

	v20140404storage "github.com/stratakube/strata/operator/api/crm/v20140404/storage"
)

// AssignToPersonProperties converts the first, middle and last name to the names of 2014-04-04.
func (src *PersonProperties) AssignToPersonProperties(dst *v20140404storage.PersonProperties) error {
	dst.LegalName = joined(src.FirstName, src.MiddleName, src.LastName)
	dst.FamilyName = src.LastName
	dst.KnownAs = src.FirstName
	return nil
}

// AssignFromPersonProperties splits the names. The family name becomes the last name. The first
// word of the rest of the legal name becomes the first name, and the other words the middle name.
// Without a legal name, the name by which the person is known becomes the first name. Without any
// of the three names, dst keeps its own.
func (dst *PersonProperties) AssignFromPersonProperties(src *v20140404storage.PersonProperties) error {
	if src.LegalName == nil && src.FamilyName == nil && src.KnownAs == nil {
		return nil
	}
	dst.LastName = src.FamilyName
	dst.FirstName, dst.MiddleName = src.KnownAs, nil
	if src.LegalName == nil {
		return nil
	}
	given := *src.LegalName
	if src.FamilyName != nil {
		given = strings.TrimSpace(strings.TrimSuffix(given, *src.FamilyName))
	}
	first, middle, _ := strings.Cut(given, " ")
	dst.FirstName, dst.MiddleName = present(first), present(strings.TrimSpace(middle))
	return nil
}

// joined joins the words that are neither nil nor empty. It returns nil if there are none.
func joined(words ...*string) *string {
	var there []string
	for _, w := range words {
		if w != nil && *w != "" {
			there = append(there, *w)
		}
	}
	return present(strings.Join(there, " "))
}

func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
