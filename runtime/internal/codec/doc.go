// Package codec reads and writes the JSON of values by their shapes. A value of the wrong type is
// no error but a misfit. The reader removes misfits and collects them, and the writer restores
// them at their positions. Package convert decides where misfits are stored.
package codec
