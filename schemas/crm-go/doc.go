// Package crm is the worked example as Go: persons and parties of a business, in the latest
// version. Markers state how the nine versions before differ.
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
