package hub

import (
	"testing"

	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	v20180808 "github.com/stratakube/strata/operator/api/crm/v20180808"
	v20170707 "github.com/stratakube/strata/operator/api/crm/v20170707"
	v20160606 "github.com/stratakube/strata/operator/api/crm/v20160606"
	v20150505 "github.com/stratakube/strata/operator/api/crm/v20150505"
)

func Benchmark_party(b *testing.B) {
	measure[v20180808.Party, hub.Party](b, "1-steps")
	measure[v20170707.Party, hub.Party](b, "2-steps")
	measure[v20160606.Party, hub.Party](b, "3-steps")
	measure[v20150505.Party, hub.Party](b, "4-steps")
}
