package compat

import (
	"strings"

	v20190909storage "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
)

// separator separates street and city in a label.
const separator = ", "

// AssignToAddress splits the label into street and city.
func (src *Address) AssignToAddress(dst *v20190909storage.Address) error {
	dst.Street, dst.City = nil, nil
	if src.Label == nil {
		return nil
	}
	street, city, found := strings.Cut(*src.Label, separator)
	dst.Street = &street
	if found {
		dst.City = &city
	}
	return nil
}

// AssignFromAddress joins street and city to the label. Without both, dst keeps its label.
func (dst *Address) AssignFromAddress(src *v20190909storage.Address) error {
	if src.Street == nil && src.City == nil {
		return nil
	}
	var lines []string
	for _, line := range []*string{src.Street, src.City} {
		if line != nil {
			lines = append(lines, *line)
		}
	}
	label := strings.Join(lines, separator)
	dst.Label = &label
	return nil
}
