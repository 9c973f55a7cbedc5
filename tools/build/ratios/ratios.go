package ratios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
)

// File is the name of the file of a set, in a folder with the other results of a benchmark.
const File = "ratios.json"

// Set has ratios and counts by name, as in "HTTP/2, one object of 6 KB, 3 steps, to the hub, times
// an echo". The less, the better.
type Set map[string]float64

// Record has the sets of benchmarks by their names.
type Record map[string]Set

// Read reads a record. Without a file it is empty.
func Read(file string) (Record, error) {
	var r Record
	if err := read(file, &r); !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	return Record{}, nil
}

// Write writes a record, sorted by name, with four digits.
func (r Record) Write(file string) error {
	rounded := Record{}
	for bench, set := range r {
		rounded[bench] = set.rounded()
	}
	return write(file, rounded)
}

// ReadSet reads what Set.Write has written.
func ReadSet(file string) (s Set, err error) { return s, read(file, &s) }

// Write writes a set, sorted by name, with four digits.
func (s Set) Write(file string) error { return write(file, s.rounded()) }

func read(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read ratios: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read ratios: %s: %w", file, err)
	}
	return nil
}

func write(file string, of any) error {
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return fmt.Errorf("write ratios: %w", err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write ratios: %w", err)
	}
	return nil
}

func (s Set) rounded() Set {
	out := Set{}
	for name, value := range s {
		digits := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(value))))
		if out[name] = value; value != 0 {
			out[name] = math.Round(value*digits) / digits
		}
	}
	return out
}

// Least returns the names of both sets, each with its least value. Results of several runs combine
// in this way: what else a machine does makes a ratio worse more often than better.
func (s Set) Least(other Set) Set {
	out := maps.Clone(other)
	for name, value := range s {
		if had, ok := out[name]; !ok || value < had {
			out[name] = value
		}
	}
	return out
}

// Loss is a result that is worse than the recorded one by more than is permitted.
type Loss struct {
	Name               string
	Recorded, Measured float64
}

// Times returns how often the recorded result goes into the measured one.
func (l Loss) Times() float64 { return l.Measured / l.Recorded }

// Losses returns the results that are larger than those of the set by more than a factor, the worst
// first. A recorded name without a result is an error, because nothing guards it any more.
func (s Set) Losses(measured Set, most float64) ([]Loss, error) {
	var losses []Loss
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s)) {
		value, ok := measured[name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%q is recorded, and was not measured", name))
		case value > s[name]*most:
			losses = append(losses, Loss{name, s[name], value})
		}
	}
	slices.SortStableFunc(losses, func(a, b Loss) int { return cmp.Compare(b.Times(), a.Times()) })
	return losses, errors.Join(errs...)
}
