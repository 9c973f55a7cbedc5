// Package crm is the worked example as Go: what we know of people and parties that we do business with, in its latest
// shape. Markers say what was otherwise in the nine versions before.
//
// +groupName=crm.example.com
// +strata:version:name=v20110101
// +strata:version:name=v20120202
// +strata:version:name=v20130303
// +strata:version:name=v20140404preview
// +strata:version:name=v20140404
// +strata:version:name=v20150505
// +strata:version:name=v20160606
// +strata:version:name=v20170707
// +strata:version:name=v20180808
// +strata:version:name=v20190909
package crm
