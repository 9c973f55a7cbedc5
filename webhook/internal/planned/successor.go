package planned

import (
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/engine"
)

// successor identifies the engine for an object that its plan refuses.
type successor int

const (
	// engineBehind is the engine behind the plans.
	engineBehind successor = iota
	// samePlan is the plan, which gets the whole object instead of the beginning of it.
	samePlan
	// noEngine means an error, since the client does not wait any more.
	noEngine
)

// successors has the engine for each reason; no other code chooses one. Types convert every
// object that its plan refuses for its content. The handler reads objects before it passes them
// on, and so reports those that are not JSON, or too deep.
var successors = map[convert.Refusal]successor{
	convert.Incomplete: samePlan,
	convert.Canceled:   noEngine,

	convert.NoPlan:           engineBehind,
	convert.NotJSON:          engineBehind,
	convert.TooDeep:          engineBehind,
	convert.WrongType:        engineBehind,
	convert.UnknownMember:    engineBehind,
	convert.RepeatedMember:   engineBehind,
	convert.MissingMember:    engineBehind,
	convert.RareSpelling:     engineBehind,
	convert.ReservedName:     engineBehind,
	convert.OpenObject:       engineBehind,
	convert.UnclearBag:       engineBehind,
	convert.SeveralSteps:     engineBehind,
	convert.DamagedStatusBag: engineBehind,
	convert.RawValues:        engineBehind,
	convert.OriginalVersion:  engineBehind,
	convert.Unplaced:         engineBehind,
	convert.TooLarge:         engineBehind,
}

// refusalsOf returns the converter's refusal for each reason, and nil for convert.Converted.
func (c *converter) refusalsOf() []*engine.Refusal {
	refusals := make([]*engine.Refusal, len(convert.Refusals())+1)
	for why, next := range successors {
		refusal := &engine.Refusal{Reason: why.String()}
		switch next {
		case engineBehind:
			refusal.Next = c.rest
		case samePlan:
			refusal.IsCut = true
		}
		refusals[why] = refusal
	}
	return refusals
}
