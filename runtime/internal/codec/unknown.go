package codec

import (
	"strings"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/label"
)

// unknownKey returns the key of a member that the storage type of a version lacks, because a later
// release of the types stored it. Only the storage version has the member.
func unknownKey(name, version string) string {
	return bag.RawKey(name, version+label.StorageSuffix)
}

// readStored reads a key of a value that the storage version of a version restores: one made by
// unknownKey, or one that [bag.ReadMisfit] reads. isUnknown reports the former.
func readStored(key, version string) (k bag.MisfitKey, isUnknown, ok bool) {
	if !strings.HasSuffix(key, bag.RawSuffix) {
		return k, false, false
	}
	if k, ok = bag.ReadMisfit(key, version); ok {
		return k, false, true
	}
	k, ok = bag.ReadMisfit(key, version+label.StorageSuffix)
	return k, true, ok && !k.Elements && !k.Whole
}
