package hub

import (
	"testing"

	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	v20180808 "github.com/stratakube/strata/operator/api/crm/v20180808"
	v20170707 "github.com/stratakube/strata/operator/api/crm/v20170707"
	v20160606 "github.com/stratakube/strata/operator/api/crm/v20160606"
	v20110101 "github.com/stratakube/strata/operator/api/crm/v20110101"
)

func Benchmark_person(b *testing.B) {
	measure[v20180808.Person, hub.Person](b, "1-steps")
	measure[v20170707.Person, hub.Person](b, "2-steps")
	measure[v20160606.Person, hub.Person](b, "3-steps")
	measure[v20110101.Person, hub.Person](b, "8-steps")
}
