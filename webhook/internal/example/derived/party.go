package derived

import (
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/webhook/internal/example/crm/v20150505/storage"
	hubstorage "github.com/stratakube/strata/webhook/internal/example/crm/v20190909/storage"
)

// RegisterParty registers the conversions of two versions of Party. They call converted for each
// conversion from the hub. The registration stays until the program ends.
func RegisterParty(converted func()) {
	genruntime.RegisterDerived("v20150505", storage.ConvertPartySpecToV20190909, func(src *hubstorage.PartySpec, dst *storage.PartySpec) error {
		converted()
		return storage.ConvertPartySpecFromV20190909(src, dst)
	})
	genruntime.RegisterDerived("v20190909", copySpec, func(src, dst *hubstorage.PartySpec) error {
		converted()
		return copySpec(src, dst)
	})
}

func copySpec(src, dst *hubstorage.PartySpec) error {
	*dst = *src
	return nil
}
