package fieldpath

import "fmt"

// Get returns the value at a path.
func Get(value any, path Path) (any, bool) {
	for _, step := range path {
		switch at := value.(type) {
		case map[string]any:
			inside, ok := at[step.Name]
			if !ok || step.Name == "" {
				return nil, false
			}
			value = inside
		case []any:
			if step.Name != "" || step.Index >= len(at) {
				return nil, false
			}
			value = at[step.Index]
		default:
			return nil, false
		}
	}
	return value, true
}

// Set sets the value at a path. It creates missing objects. Arrays must have the element.
func Set(object map[string]any, path Path, value any) error {
	_, err := set(object, path, value)
	return err
}

func set(at any, path Path, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	step := path[0]
	switch at := at.(type) {
	case nil:
		if step.Name == "" {
			return nil, fmt.Errorf("there is no element [%d]", step.Index)
		}
		return set(map[string]any{}, path, value)
	case map[string]any:
		if step.Name == "" {
			return nil, fmt.Errorf("[%d] is asked for where an object is", step.Index)
		}
		inside, err := set(at[step.Name], path[1:], value)
		if err == nil {
			at[step.Name] = inside
		}
		return at, err
	case []any:
		if step.Name != "" {
			return nil, fmt.Errorf("%s is asked for where an array is", step.Name)
		}
		if step.Index >= len(at) {
			return nil, fmt.Errorf("there is no element [%d], the array has %d", step.Index, len(at))
		}
		inside, err := set(at[step.Index], path[1:], value)
		if err == nil {
			at[step.Index] = inside
		}
		return at, err
	}
	return nil, fmt.Errorf("%s is below a value that has no members", path)
}

// Remove removes a member. It does not remove elements of arrays, and ignores a member that does
// not exist.
func Remove(object map[string]any, path Path) {
	if len(path) == 0 || path[len(path)-1].Name == "" {
		return
	}
	holder, _ := Get(object, path[:len(path)-1])
	if members, ok := holder.(map[string]any); ok {
		delete(members, path[len(path)-1].Name)
	}
}
