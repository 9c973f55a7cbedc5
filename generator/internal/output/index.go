package output

import "fmt"

// ReadIndex returns what the caller has stored with [WriteIndex] about an output folder, or nil.
func ReadIndex(dir string) []byte {
	_, body := readCache(dir, ".index")
	return body
}

// WriteIndex stores data of the caller about an output folder in the cache folder. Losing it costs
// time and nothing else.
func WriteIndex(dir string, body []byte) error {
	file, err := cacheFile(dir, ".index")
	if err == nil {
		err = writeCache(file, body)
	}
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}
