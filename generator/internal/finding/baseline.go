package finding

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Baseline returns the fingerprints of all findings in a document that strata diff or strata check
// has written with -o json.
func Baseline(document []byte) (map[string]bool, error) {
	var root map[string]any
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, has := root["outcome"]; !has {
		return nil, errors.New("not a result of strata diff or strata check")
	}
	known := map[string]bool{}
	for _, member := range root {
		collect(member, known)
	}
	return known, nil
}

func collect(value any, into map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		if text, is := value["fingerprint"].(string); is {
			into[text] = true
		}
		for _, member := range value {
			collect(member, into)
		}
	case []any:
		for _, element := range value {
			collect(element, into)
		}
	}
}
