// Package engine is the seam between what reads conversion reviews and what converts objects.
//
// It owns [Engine] and [Converter], the two small interfaces that conversions stand behind; [Pair], which names a
// conversion; [First], which asks several engines in order; and [Check], the self-test of an engine.
//
// Package webhook calls engines; package typed is one.
package engine
