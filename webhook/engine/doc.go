// Package engine defines the interface between the handler of conversion reviews and the engines
// that convert objects.
//
// It contains [Engine] and [Converter], the two interfaces; [Selective] and [Refusal], by which a
// converter passes objects to another one; [Pair], which names a conversion; [First], which tries
// several engines in order; [Convert], which converts one object; and [Check], the self-test of
// an engine.
//
// Package webhook calls engines. Packages planned and typed implement them.
package engine
