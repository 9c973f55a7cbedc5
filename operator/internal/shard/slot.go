package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
)

// Slots is the number of slots, and so the maximum number of replicas that have work. All releases
// have the same number: replicas with different numbers would reconcile the same namespace.
const Slots = 16

// slotOf returns the slot of a key.
func slotOf(key string) int {
	sum := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint64(sum[:8]) % Slots)
}

// assign returns the member that each slot belongs to. It is a consistent hash with bounded loads:
// each slot takes the member with the greatest hash of both among those that have fewer slots than
// the even share, rounded up. It returns the same for the same members in any order. It returns nil
// without members.
func assign(members []string) []string {
	if len(members) == 0 {
		return nil
	}
	most, has := (Slots+len(members)-1)/len(members), map[string]int{}
	out := make([]string, Slots)
	for slot := range out {
		weights := map[string][]byte{}
		for _, m := range members {
			sum := sha256.Sum256([]byte(strconv.Itoa(slot) + " " + m))
			weights[m] = sum[:]
		}
		ranked := slices.SortedFunc(slices.Values(members), func(a, b string) int { return bytes.Compare(weights[b], weights[a]) })
		for _, m := range ranked {
			if has[m] < most {
				has[m]++
				out[slot] = m
				break
			}
		}
	}
	return out
}
