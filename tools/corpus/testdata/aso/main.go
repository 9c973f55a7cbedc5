// Command aso prints objects as Azure Service Operator stores and shows them, one JSON text a line.
// It draws objects of API versions, edits them through other versions, and converts them by the
// operator's own conversions.
//
// Its module requires the operator's types, and is no part of the workspace: package corpus builds
// it in a test. The first argument is the number of objects of each kind and version.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	batch20210101 "github.com/Azure/azure-service-operator/v2/api/batch/v1api20210101"
	batch20210101storage "github.com/Azure/azure-service-operator/v2/api/batch/v1api20210101/storage"
	compute20200930 "github.com/Azure/azure-service-operator/v2/api/compute/v1api20200930"
	compute20200930storage "github.com/Azure/azure-service-operator/v2/api/compute/v1api20200930/storage"
	compute20240302 "github.com/Azure/azure-service-operator/v2/api/compute/v1api20240302"
	compute20240302storage "github.com/Azure/azure-service-operator/v2/api/compute/v1api20240302/storage"
	network20180901 "github.com/Azure/azure-service-operator/v2/api/network/v1api20180901"
	network20180901storage "github.com/Azure/azure-service-operator/v2/api/network/v1api20180901/storage"
	network20240601 "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601"
	network20240601storage "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601/storage"
	storage20210401 "github.com/Azure/azure-service-operator/v2/api/storage/v1api20210401"
	storage20210401storage "github.com/Azure/azure-service-operator/v2/api/storage/v1api20210401/storage"
	storage20220901 "github.com/Azure/azure-service-operator/v2/api/storage/v1api20220901"
	storage20220901storage "github.com/Azure/azure-service-operator/v2/api/storage/v1api20220901/storage"
	storage20230101 "github.com/Azure/azure-service-operator/v2/api/storage/v1api20230101"
	storage20230101storage "github.com/Azure/azure-service-operator/v2/api/storage/v1api20230101/storage"
)

// Example is a stored object, and what each API version shows of it.
type Example struct {
	Group, Kind string
	Written     string                    // the API version that drew it
	Version     string                    // in which it is stored
	Stored      any                       // the object
	Views       map[string]runtime.Object // by API version
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = run(count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(count int) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		batch20210101.AddToScheme, batch20210101storage.AddToScheme,
		compute20200930.AddToScheme, compute20200930storage.AddToScheme,
		compute20240302.AddToScheme, compute20240302storage.AddToScheme,
		network20180901.AddToScheme, network20180901storage.AddToScheme,
		network20240601.AddToScheme, network20240601storage.AddToScheme,
		storage20210401.AddToScheme, storage20210401storage.AddToScheme,
		storage20220901.AddToScheme, storage20220901storage.AddToScheme,
		storage20230101.AddToScheme, storage20230101storage.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	e := &examples{scheme: scheme, draw: rand.New(rand.NewPCG(1, 2)), out: json.NewEncoder(out)}
	var kinds []schema.GroupVersionKind
	for gvk := range scheme.AllKnownTypes() {
		if strings.HasPrefix(gvk.Version, "v1api") && !strings.HasSuffix(gvk.Version, "storage") && strings.HasSuffix(gvk.Kind, "List") {
			gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
			kinds = append(kinds, gvk)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	for _, gvk := range kinds {
		for i := range count {
			if err := e.make(gvk, i); err != nil {
				return fmt.Errorf("%s: %w", gvk, err)
			}
		}
	}
	return nil
}

type examples struct {
	scheme *runtime.Scheme
	draw   *rand.Rand
	out    *json.Encoder
}

// make draws an object of an API version, and prints it as stored, before and after an edit through
// each other API version.
func (e *examples) make(gvk schema.GroupVersionKind, i int) error {
	drawn, err := e.scheme.New(gvk)
	if err != nil {
		return err
	}
	e.fill(reflect.ValueOf(drawn).Elem(), 0)
	reflect.ValueOf(drawn).Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Name: fmt.Sprintf("a%d", i), Namespace: "default"}))
	hub, err := e.hub(gvk, drawn)
	if err != nil {
		return err
	}
	if err := e.store(gvk, hub); err != nil {
		return err
	}
	for _, version := range e.versions(gvk) {
		if version == gvk.Version || strings.HasSuffix(version, "storage") {
			continue
		}
		other := gvk.GroupKind().WithVersion(version)
		edited, err := e.edit(other, hub)
		if err == nil {
			err = e.store(other, edited)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// edit returns the hub after a client of another API version has written the object, with another
// value of one property of the spec.
func (e *examples) edit(gvk schema.GroupVersionKind, hub runtime.Object) (runtime.Object, error) {
	view, err := e.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	if err := view.(conversion.Convertible).ConvertFrom(hub.DeepCopyObject().(conversion.Hub)); err != nil {
		return nil, err
	}
	spec := reflect.ValueOf(view).Elem().FieldByName("Spec")
	field := spec.Field(e.draw.IntN(spec.NumField()))
	field.SetZero()
	e.fill(field, 1)
	return e.hub(gvk, view)
}

// store prints an object as stored in the hub and in each other storage version. Those that are
// older than the API version that wrote it have property bags.
func (e *examples) store(gvk schema.GroupVersionKind, hub runtime.Object) error {
	if err := e.print(gvk, hub, hub); err != nil {
		return err
	}
	for _, version := range e.versions(gvk) {
		stored, err := e.scheme.New(gvk.GroupKind().WithVersion(version))
		if err != nil {
			return err
		}
		spoke, ok := stored.(conversion.Convertible)
		if !ok || !strings.HasSuffix(version, "storage") {
			continue
		}
		if err := spoke.ConvertFrom(hub.DeepCopyObject().(conversion.Hub)); err != nil {
			return err
		}
		if err := e.print(gvk, stored, hub); err != nil {
			return err
		}
	}
	return nil
}

// versions returns the versions of a kind, sorted.
func (e *examples) versions(gvk schema.GroupVersionKind) []string {
	var out []string
	for _, version := range e.scheme.VersionsForGroupKind(gvk.GroupKind()) {
		if strings.HasPrefix(version.Version, "v1api") {
			out = append(out, version.Version)
		}
	}
	slices.Sort(out)
	return out
}

// hub converts an object to the hub of its kind.
func (e *examples) hub(gvk schema.GroupVersionKind, drawn runtime.Object) (runtime.Object, error) {
	for _, version := range e.versions(gvk) {
		object, err := e.scheme.New(gvk.GroupKind().WithVersion(version))
		if err != nil {
			return nil, err
		}
		if hub, ok := object.(conversion.Hub); ok {
			return object, drawn.(conversion.Convertible).ConvertTo(hub)
		}
	}
	return nil, fmt.Errorf("no hub")
}

func (e *examples) print(written schema.GroupVersionKind, stored, hub runtime.Object) error {
	kinds, _, err := e.scheme.ObjectKinds(stored)
	if err != nil {
		return err
	}
	stored.GetObjectKind().SetGroupVersionKind(kinds[0])
	out := Example{Group: written.Group, Kind: written.Kind, Written: written.Version, Version: kinds[0].Version, Stored: stored, Views: map[string]runtime.Object{}}
	for _, version := range e.versions(written) {
		if strings.HasSuffix(version, "storage") {
			continue
		}
		gvk := written.GroupKind().WithVersion(version)
		view, err := e.scheme.New(gvk)
		if err != nil {
			return err
		}
		copied := hub.DeepCopyObject()
		if err := view.(conversion.Convertible).ConvertFrom(copied.(conversion.Hub)); err != nil {
			return err
		}
		view.GetObjectKind().SetGroupVersionKind(gvk)
		out.Views[version] = view
	}
	return e.out.Encode(out)
}

// fill sets most fields of a value to random values.
func (e *examples) fill(v reflect.Value, depth int) {
	switch t := v.Addr().Interface().(type) {
	case *metav1.Time:
		*t = metav1.Unix(int64(e.draw.IntN(1e9)), 0)
		return
	case *apiextensions.JSON:
		t.Raw = fmt.Appendf(nil, `{"b":[1.50,%d],"a":null}`, e.draw.IntN(100))
		return
	case *metav1.TypeMeta, *metav1.ObjectMeta:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if depth < 20 && e.draw.IntN(10) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			e.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			e.fill(v.Field(i), depth+1)
		}
	case reflect.Slice: // API servers allow no null in lists of objects
		for range e.draw.IntN(3) {
			v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
			element := v.Index(v.Len() - 1)
			if element.Kind() == reflect.Pointer {
				element.Set(reflect.New(element.Type().Elem()))
				element = element.Elem()
			}
			e.fill(element, depth+1)
		}
	case reflect.Map:
		for range e.draw.IntN(3) {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			e.fill(key, depth+1)
			e.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString([]string{"", "5", "true", "{}", "a\"b\\\n", "\u00e4\u2028"}[e.draw.IntN(6)] + strconv.Itoa(e.draw.IntN(1000)))
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(int64(e.draw.IntN(1 << 30)))
	case reflect.Float64:
		v.SetFloat(float64(e.draw.IntN(1000)) / 8)
	case reflect.Bool:
		v.SetBool(e.draw.IntN(2) == 0)
	}
}
