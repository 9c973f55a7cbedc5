package storage

import (
	"strings"

	next "$API/crm/v20140404/storage"
)

// AssignToPersonProperties makes the names of later versions from first, middle and last name.
func (src *PersonProperties) AssignToPersonProperties(dst *next.PersonProperties) error {
	if src.FirstName == nil || src.LastName == nil {
		return nil
	}
	legal := *src.FirstName
	if src.MiddleName != nil {
		legal += " " + *src.MiddleName
	}
	legal += " " + *src.LastName
	dst.LegalName, dst.FamilyName, dst.KnownAs = &legal, src.LastName, src.FirstName
	return nil
}

// AssignFromPersonProperties is the way back.
func (dst *PersonProperties) AssignFromPersonProperties(src *next.PersonProperties) error {
	if src.LegalName == nil || src.FamilyName == nil {
		return nil
	}
	given := strings.TrimSuffix(*src.LegalName, " "+*src.FamilyName)
	first, middle, found := strings.Cut(given, " ")
	dst.FirstName, dst.LastName = &first, src.FamilyName
	if found {
		dst.MiddleName = &middle
	}
	return nil
}
