// Package effect owns the one table that says whether a call which ended badly can have changed something. The operator
// decides by it what becomes of a claim; providers classify with it what the external API answered, and what it did not.
package effect
