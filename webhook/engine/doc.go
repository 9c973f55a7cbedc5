// Package engine defines the interface between the handler of conversion reviews and what converts
// objects.
//
// It contains [Engine] and [Converter], the two interfaces; [Pair], which names a conversion;
// [First], which asks several engines in order; and [Check], the self-test of an engine.
//
// Package webhook calls engines. Packages planned and typed implement them.
package engine
