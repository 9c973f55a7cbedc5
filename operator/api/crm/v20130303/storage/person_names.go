package storage

import (
	"strings"

	v20140404storage "github.com/stratakube/strata/operator/api/crm/v20140404/storage"
)

// AssignToPersonProperties makes the names of 2014-04-04 of the first, middle and
// last name.
func (src *PersonProperties) AssignToPersonProperties(dst *v20140404storage.PersonProperties) error {
	dst.LegalName = joined(src.FirstName, src.MiddleName, src.LastName)
	dst.FamilyName = src.LastName
	dst.KnownAs = src.FirstName
	return nil
}

// AssignFromPersonProperties takes the names apart: the family name is the last
// name, the first word of the rest of the legal name the first name, the other words
// the middle name. A person without a legal name has the name that they are known
// as. Where there are no names to take apart, those that the person has stand.
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

// joined joins the words that are there; nil if there are none.
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
