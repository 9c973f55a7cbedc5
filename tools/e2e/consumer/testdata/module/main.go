// Command outside reads what a type stores for other versions, and asks which version stands for
// one that is gone.
package main

import (
	"encoding/json"
	"fmt"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

type stored struct {
	Owner       *runtime.Owner      `json:"owner"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

func main() {
	var object stored
	err := json.Unmarshal([]byte(`{"owner":{"armId":"/groups/crm"},"$propertyBag":{"middleName":"Ada"}}`), &object)
	fmt.Println(err, *object.Owner.ExternalID, object.PropertyBag["middleName"])

	gone := schema.GroupVersionKind{Group: "crm.example.com", Version: "v1", Kind: "Person"}
	fmt.Println(runtime.EffectiveVersion(gone, k8sruntime.NewScheme()).Version)
}
