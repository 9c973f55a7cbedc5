//go:build js

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/stratakube/strata/generator/internal/conversion"
)

func main() {
	js.Global().Set("strataConvert", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var texts []string
		for _, a := range args {
			texts = append(texts, a.String())
		}
		value, err := answer(texts)
		if err != nil {
			value = map[string]string{"error": err.Error()}
		}
		out, err := json.Marshal(value)
		if err != nil {
			return `{"error":"the result is no JSON"}`
		}
		return string(out)
	}))
	select {} // the page calls the function
}

var plans conversion.Plans

// answer does what the first text names:
//
//   - plans and a plan file: it adds the plans.
//   - views and an object: it returns the object in every version.
//   - changes, two texts of an object, and a version: it returns what differs in that version.
func answer(texts []string) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, fmt.Errorf("the program failed: %v", p)
		}
	}()
	ctx := context.Background()
	switch {
	case len(texts) == 2 && texts[0] == "plans":
		return nil, plans.Add([]byte(texts[1]))
	case len(texts) == 2 && texts[0] == "views":
		kind, views, err := plans.Views(ctx, texts[1])
		return map[string]any{"kind": kind, "views": views}, err
	case len(texts) == 4 && texts[0] == "changes":
		changes, err := plans.Changes(ctx, texts[1], texts[2], texts[3])
		return map[string]any{"changes": changes}, err
	}
	return nil, errors.New("there is no such function")
}
