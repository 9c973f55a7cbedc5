package annotation_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
)

// TestTimesBeyondCalendar has a client write times into a claim that have no text in UTC.
func TestTimesBeyondCalendar(t *testing.T) {
	for _, at := range []string{"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00"} {
		for _, claim := range []string{`{"uid":"%s","since":"%s"}`, `{"uid":"%s","made":"%s"}`, `{"uid":"%s","unanswered":{"at":"%s"}}`} {
			for _, id := range []string{"", "/a"} {
				u := &unstructured.Unstructured{}
				u.SetUID("u")
				u.SetAnnotations(map[string]string{
					annotation.Claim: fmt.Sprintf(claim, "u", at), annotation.ID: id,
					annotation.Sent: fmt.Sprintf(`{"digest":"d","at":%q}`, at), annotation.Operation: fmt.Sprintf(`{"handle":"h","aim":"apply","began":%q}`, at),
				})
				annotation.Read(u).Undated(time.Now()).Annotations("u")
			}
		}
	}
}
