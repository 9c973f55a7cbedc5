// Command asoread reads the examples of command aso, and converts each stored object by both engines
// of the webhook. It compares what API versions show with what the operator shows.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"corpus.strata.test/api"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// Example is what command aso prints.
type Example struct {
	Group, Kind, Written, Version string
	Stored                        json.RawMessage
	Views                         map[string]json.RawMessage
}

// Result is printed at the end.
type Result struct {
	Objects, Bags, Leaves int
	Faults                []string // at most a hundred
	Lost, Changed, Added  int
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		return err
	}
	plans, err := webhook.EngineOf(scheme)
	if err != nil {
		return err
	}
	types, err := webhook.EngineOfTypes(scheme)
	if err != nil {
		return err
	}
	if err := engine.Check(context.Background(), plans); err != nil {
		return err
	}
	r := &Result{}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var e Example
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		r.Objects++
		if bytes.Contains(e.Stored, []byte(`"$propertyBag"`)) {
			r.Bags++
		}
		for name, engine := range map[string]engine.Engine{"plans": plans, "types": types} {
			if err := r.compare(name, engine, e); err != nil {
				return fmt.Errorf("%s: %s written in %s, stored in %s: %w", name, e.Kind, e.Written, e.Version, err)
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// compare converts an example to the hub, to each API version, and from there back to the hub.
func (r *Result) compare(name string, by engine.Engine, e Example) error {
	kind := schema.GroupKind{Group: e.Group, Kind: e.Kind}
	convert := func(from, to string, object []byte) ([]byte, error) {
		c := by.Converter(engine.Pair{Kind: kind, From: from, To: to})
		if c == nil {
			return nil, fmt.Errorf("no converter from %s to %s", from, to)
		}
		return engine.Convert(context.Background(), c, nil, object, nil)
	}
	hub := ""
	for _, k := range by.Kinds() {
		if k.GroupKind == kind {
			hub = k.Hub
		}
	}
	stored, err := convert(e.Version, hub, e.Stored)
	if err != nil {
		return err
	}
	if at := bytes.Index(stored, []byte("@"+e.Version)); at >= 0 {
		r.fault("%s: %s written in %s, stored in %s: an entry has no place: %s", name, e.Kind, e.Written, e.Version, stored[max(0, at-60):at])
	}
	for _, version := range slices.Sorted(maps.Keys(e.Views)) {
		direct, err := convert(e.Version, version, e.Stored)
		if err != nil {
			return err
		}
		shown, err := convert(hub, version, stored)
		if err != nil {
			return err
		}
		where := fmt.Sprintf("%s: %s written in %s, stored in %s, shown in %s", name, e.Kind, e.Written, e.Version, version)
		if !bytes.Equal(direct, shown) {
			r.fault("%s: directly it is %.200s and not %.200s", where, direct, shown)
		}
		r.leaves(where, e.Views[version], shown)
		back, err := convert(version, hub, shown)
		if err != nil {
			return err
		}
		r.leaves(where+", written back", stored, back)
	}
	return nil
}

func (r *Result) leaves(where string, want, got []byte) {
	wanted, there := leavesOf(want), leavesOf(got)
	r.Leaves += len(wanted)
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		switch value, ok := there[path]; {
		case !ok:
			r.Lost++
			r.fault("%s: %s is lost", where, path)
		case value != wanted[path]:
			r.Changed++
			r.fault("%s: %s is %s, not %s", where, path, value, wanted[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(there)) {
		if _, ok := wanted[path]; !ok {
			r.Added++
			r.fault("%s: %s is added", where, path)
		}
	}
}

func (r *Result) fault(format string, args ...any) {
	if len(r.Faults) < 100 {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// leavesOf returns the scalars of an object's spec and status by path, without hidden values.
func leavesOf(object []byte) map[string]string {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		return nil
	}
	out := map[string]string{}
	for _, root := range []string{"spec", "status"} {
		add(out, root, whole[root])
	}
	delete(out, "status.propertyBag")
	return out
}

func add(out map[string]string, path string, value any) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for name, member := range v {
			add(out, path+"."+name, member)
		}
	case []any:
		for i, element := range v {
			add(out, fmt.Sprintf("%s[%d]", path, i), element)
		}
	default:
		out[path] = strings.TrimSpace(fmt.Sprintf("%q", fmt.Sprint(v)))
	}
}
