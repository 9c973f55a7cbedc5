// Package packed stores the objects of a cache as compressed JSON. It takes a tenth of the memory
// of decoded objects. A cache gets them by its transform, and its readers get decoded copies.
package packed
