// Package importing reads existing resources of Azure and writes objects for them, as YAML. A
// spec has the values that the CRD has in the chosen version. The applied objects adopt the
// resources and change nothing in Azure.
package importing
