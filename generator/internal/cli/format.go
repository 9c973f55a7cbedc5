package cli

import "fmt"

// format is how a result is printed; it is the value of a flag.
type format string

const (
	table format = "table"
	json  format = "json"
)

// String gives the flag's value.
func (f *format) String() string { return string(*f) }

// Type names the values in the help text.
func (f *format) Type() string { return "table|json" }

// Set takes the flag's value.
func (f *format) Set(text string) error {
	if text != string(table) && text != string(json) {
		return fmt.Errorf("want table or json")
	}
	*f = format(text)
	return nil
}
