package genruntime

// GetBag returns the bag of a status, and nil if there is no status.
func GetBag(status bagged) *string {
	if isNil(status) {
		return nil
	}
	return *status.Bag()
}

// SetBag sets the bag of a status. It creates the status if there is none and bag is not nil.
func SetBag[P bagged](status *P, bag *string) {
	if isNil(*status) {
		if bag == nil {
			return
		}
		*status = blank[P]()
	}
	*(*status).Bag() = bag
}

// bagged is a pointer to a status with a bag.
type bagged interface{ Bag() **string }
