// Package importing reads existing resources of Azure and makes objects of them, as YAML: of their
// specs, what the CRD of the chosen version has. Applied, the objects adopt the resources and
// change nothing in Azure.
package importing
