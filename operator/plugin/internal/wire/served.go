package wire

import "github.com/stratakube/strata/operator/plugin/contract"

// FromServed converts Served to its message.
func FromServed(s contract.Served) *Served {
	return &Served{Kind: s.Kind, Version: uint32(s.Number), Name: s.Name}
}

// ToServed converts a message to Served.
func ToServed(s *Served) contract.Served {
	return contract.Served{ID: contract.ID{Kind: s.GetKind(), Number: int(s.GetVersion())}, Name: s.GetName()}
}
