package activities

import "github.com/weir-collect/weir/collection"

// planDelivery notes how the results are to be written and whether they are to be shipped. It is fixed here, so that every
// attempt of Settle writes the same files, whichever worker has it and whatever its configuration says by then.
func planDelivery(plan *collection.PlanResult, customer collection.Customer, directory Directory) {
	plan.Ship = !customer.Destination.IsZero()
	if customer.Layout.IsZero() {
		return
	}
	plan.Layout = &collection.PlannedLayout{Layout: customer.Layout}
	if customer.Layout.Format != collection.FormatParquet {
		return
	}
	types := map[string]string{}
	for _, planned := range plan.Sources {
		if source, ok := directory.Source(planned.Source); ok {
			for _, parse := range rulesOf(source) {
				declareTypes(types, parse.Fields)
			}
		}
	}
	plan.Layout.Types = types
}

// rulesOf are all parse rules by which a source's documents may come about.
func rulesOf(s collection.Source) []collection.Parse {
	rules := []collection.Parse{s.Parse}
	for _, m := range s.Methods {
		if m.Parse.Type != "" {
			rules = append(rules, m.Parse)
		}
	}
	return rules
}

// typeOfSeveral is what fields are of whose rules do not agree: "any" holds whatever comes.
const typeOfSeveral = "any"

func declareTypes(types map[string]string, fields []collection.Field) {
	for _, f := range fields {
		declared := f.Type
		switch {
		case f.List:
			declared = typeOfSeveral
		case declared == "":
			declared = "string"
		}
		if before, ok := types[f.Name]; ok && before != declared {
			declared = typeOfSeveral
		}
		types[f.Name] = declared
	}
}
