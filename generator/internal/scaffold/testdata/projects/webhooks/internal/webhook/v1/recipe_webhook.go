// Package v1 has the admission webhooks of the version v1.
package v1

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	menuv1 "example.com/kitchen/api/v1"
)

// SetupRecipeWebhookWithManager registers the webhooks of recipes.
func SetupRecipeWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &menuv1.Recipe{}).
		WithDefaulter(&RecipeCustomDefaulter{}).
		WithValidator(&RecipeCustomValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-menu-example-com-v1-recipe,mutating=true,failurePolicy=fail,sideEffects=None,groups=menu.example.com,resources=recipes,verbs=create;update,versions=v1,name=mrecipe-v1.kb.io,admissionReviewVersions=v1

// RecipeCustomDefaulter sets defaults of recipes.
type RecipeCustomDefaulter struct{}

// Default sets the defaults of one recipe.
func (*RecipeCustomDefaulter) Default(_ context.Context, recipe *menuv1.Recipe) error {
	if recipe.Spec.Servings == 0 {
		recipe.Spec.Servings = 4
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-menu-example-com-v1-recipe,mutating=false,failurePolicy=fail,sideEffects=None,groups=menu.example.com,resources=recipes,verbs=create;update,versions=v1,name=vrecipe-v1.kb.io,admissionReviewVersions=v1

// RecipeCustomValidator validates recipes.
type RecipeCustomValidator struct{}

// ValidateCreate validates a new recipe.
func (*RecipeCustomValidator) ValidateCreate(_ context.Context, recipe *menuv1.Recipe) (admission.Warnings, error) {
	return nil, validate(recipe)
}

// ValidateUpdate validates a changed recipe.
func (*RecipeCustomValidator) ValidateUpdate(_ context.Context, _, recipe *menuv1.Recipe) (admission.Warnings, error) {
	return nil, validate(recipe)
}

// ValidateDelete allows every deletion.
func (*RecipeCustomValidator) ValidateDelete(context.Context, *menuv1.Recipe) (admission.Warnings, error) {
	return nil, nil
}

// validate returns an error for a recipe for nobody.
func validate(recipe *menuv1.Recipe) error {
	if recipe.Spec.Servings < 1 {
		return fmt.Errorf("spec.servings is %d, and must be positive", recipe.Spec.Servings)
	}
	return nil
}
