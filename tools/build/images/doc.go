// Package images builds container images of the commands of the workspace, without a container
// engine and without a registry: a tarball each, and an OCI layout of all. The program that does it
// is strata-image of operator/image, a module outside of the workspace. The operator's image holds
// the plugins that the workspace has, with their lock. The verb `mage images` calls it.
package images
