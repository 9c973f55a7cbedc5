package crds

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celmodel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// Server accepts or refuses writes through one version of a kind. It calls the code with which an
// API server defaults, prunes and validates, but needs no process.
type Server struct {
	structural     *schema.Structural
	whole          validation.SchemaValidator
	status         validation.SchemaValidator // nil without a status subresource
	rules          *cel.Validator
	correlate      common.Schema
	hasSubresource bool
}

// NewServer compiles what an API server compiles of a version.
func NewServer(v v1.CustomResourceDefinitionVersion) (*Server, error) {
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
		return nil, fmt.Errorf("convert schema of %s: %w", v.Name, err)
	}
	whole, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, fmt.Errorf("compile schema of %s: %w", v.Name, err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, fmt.Errorf("read schema of %s: %w", v.Name, err)
	}
	s := &Server{structural: structural, whole: whole, correlate: &celmodel.Structural{Structural: structural}}
	s.rules = cel.NewValidator(structural, true, celconfig.PerCallLimit)
	s.hasSubresource = v.Subresources != nil && v.Subresources.Status != nil
	if status, has := internal.Properties["status"]; has && s.hasSubresource {
		if s.status, _, err = validation.NewSchemaValidator(&status); err != nil {
			return nil, fmt.Errorf("compile status of %s: %w", v.Name, err)
		}
	}
	return s, nil
}

// Read returns a copy of an object as clients see it: without members that the schema lacks, and
// with defaults.
func (s *Server) Read(object map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	pruning.Prune(out, s.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(out, s.structural)
	defaulting.Default(out, s.structural)
	return out
}

// Create returns why an API server refuses to create an object that Read has returned. It checks
// the status as well, which an API server would drop.
func (s *Server) Create(ctx context.Context, object map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResource(nil, object, s.whole)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	return s.ruled(ctx, errs, object, nil)
}

// Rules returns which rules an object breaks as a whole, also if its shape is wrong.
func (s *Server) Rules(ctx context.Context, object map[string]any) field.ErrorList {
	errs, _ := s.rules.Validate(ctx, nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
	return errs
}

// Update returns why an API server refuses an update of an object. Both are as Read returns them.
// As on an API server, the status stays as it is if it is a subresource.
func (s *Server) Update(ctx context.Context, object, old map[string]any) field.ErrorList {
	object = s.with(object, old, s.hasSubresource)
	correlated := s.correlated(object, old)
	errs := validation.ValidateCustomResourceUpdate(nil, object, old, s.whole, validation.WithRatcheting(correlated))
	if len(listtype.ValidateListSetsAndMaps(nil, s.structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	}
	return s.ruled(ctx, errs, object, old, cel.WithRatcheting(correlated))
}

// UpdateStatus returns why an API server refuses an update through the status subresource, which
// the version must have. Nothing but the status changes.
func (s *Server) UpdateStatus(ctx context.Context, object, old map[string]any) field.ErrorList {
	object = s.with(old, object, true)
	correlated := s.correlated(object, old)
	var errs field.ErrorList
	if status, has := object["status"]; has {
		errs = validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], s.status, validation.WithRatcheting(correlated.Key("status")))
	}
	if len(listtype.ValidateListSetsAndMaps(nil, s.structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	}
	return s.ruled(ctx, errs, object, old, cel.WithRatcheting(correlated))
}

// with returns an object, with the status of another one if that is so.
func (s *Server) with(object, status map[string]any, other bool) map[string]any {
	if !other {
		return object
	}
	out := runtime.DeepCopyJSON(object)
	delete(out, "status")
	if value, has := status["status"]; has {
		out["status"] = runtime.DeepCopyJSONValue(value)
	}
	return out
}

func (s *Server) correlated(object, old map[string]any) *common.CorrelatedObject {
	return common.NewCorrelatedObject(object, old, s.correlate)
}

// ruled appends what the rules of the schema refuse. An API server does not evaluate them on
// objects whose shape is wrong.
func (s *Server) ruled(ctx context.Context, errs field.ErrorList, object, old map[string]any, options ...cel.Option) field.ErrorList {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return errs
		}
	}
	var before any
	if old != nil {
		before = old
	}
	more, _ := s.rules.Validate(ctx, nil, s.structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return append(errs, more...)
}
