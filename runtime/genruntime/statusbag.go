package genruntime

// GetBag returns the bag of a status; nil where there is no status.
func GetBag[T any, P bagPointer[T]](status P) *string {
	if status == nil {
		return nil
	}
	return *status.Bag()
}

// SetBag sets the bag of a status, which is made if it must be.
func SetBag[T any, P bagPointer[T]](status *P, bag *string) {
	if *status == nil && bag != nil {
		*status = new(T)
	}
	if *status != nil {
		*(*status).Bag() = bag
	}
}

type bagPointer[T any] interface {
	*T
	Bag() **string
}
