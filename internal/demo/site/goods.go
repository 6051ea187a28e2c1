package site

import "fmt"

// Behaviour is how a page answers.
type Behaviour string

// The behaviours.
const (
	// Ordinary answers after Timing.Ordinary.
	Ordinary Behaviour = "ordinary"
	// Slow answers after Timing.Slow.
	Slow Behaviour = "slow"
	// Missing is 404.
	Missing Behaviour = "missing"
	// Throttled answers the first request with 429 and Retry-After, and so every one that does not wait as long.
	Throttled Behaviour = "throttled"
	// Empty is a page with status 200 on which nothing is.
	Empty Behaviour = "empty"
	// Failing answers the first two requests with 500.
	Failing Behaviour = "failing"
)

// failures is how often a failing page fails.
const failures = 2

// Book is a page of the shop.
type Book struct {
	Slug, Title string
	// Price is in pounds, as it is shown.
	Price     string
	Stock     int
	Rating    int
	Tags      []string
	Behaviour Behaviour
}

// Path is the path of the book's page.
func (b Book) Path() string { return "/books/" + b.Slug + ".html" }

// Item is an answer of the stock API.
type Item struct {
	SKU, Name string
	// Price is in pounds.
	Price     string
	Units     int
	Behaviour Behaviour
}

// Path is the path of the item.
func (i Item) Path() string { return "/api/items/" + i.SKU }

// Books are the shop's pages, in the order of its shelves.
func Books() []Book {
	return []Book{
		{"a-field-guide-to-puddles", "A Field Guide to Puddles", "12.50", 7, 4, []string{"nature", "walking"}, Ordinary},
		{"the-lighthouse-ledger", "The Lighthouse Ledger", "18.00", 2, 5, []string{"history", "sea"}, Ordinary},
		{"tea-for-eleven", "Tea for Eleven", "7.95", 31, 3, []string{"cooking"}, Slow},
		{"bridges-that-were-not-built", "Bridges That Were Not Built", "24.00", 5, 4, []string{"history", "building"}, Ordinary},
		{"knots-for-the-left-handed", "Knots for the Left-Handed", "9.20", 12, 5, []string{"craft", "sea"}, Ordinary},
		{"the-sixth-tuesday", "The Sixth Tuesday", "6.50", 0, 2, []string{"novel"}, Missing},
		{"small-hours-of-the-post-office", "Small Hours of the Post Office", "11.00", 9, 4, []string{"novel", "night"}, Ordinary},
		{"a-history-of-doormats", "A History of Doormats", "15.75", 3, 3, []string{"history", "home"}, Throttled},
		{"moss-in-forty-greens", "Moss in Forty Greens", "22.40", 4, 5, []string{"nature", "colour"}, Ordinary},
		{"how-to-fold-a-map", "How to Fold a Map", "8.00", 18, 4, []string{"craft", "walking"}, Ordinary},
		{"weather-for-beginners", "Weather for Beginners", "13.30", 6, 3, []string{"nature"}, Failing},
		{"the-quiet-accordion", "The Quiet Accordion", "10.10", 1, 2, []string{"music"}, Ordinary},
		{"bread-at-altitude", "Bread at Altitude", "16.60", 8, 4, []string{"cooking", "mountains"}, Ordinary},
		{"an-inventory-of-gates", "An Inventory of Gates", "19.90", 2, 4, []string{"building", "walking"}, Slow},
		{"clocks-that-run-late", "Clocks That Run Late", "14.00", 10, 5, []string{"craft", "time"}, Ordinary},
		{"the-cartographers-lunch", "The Cartographer's Lunch", "12.25", 6, 3, []string{"novel", "cooking"}, Ordinary},
		{"nine-ways-to-cross-a-field", "Nine Ways to Cross a Field", "9.80", 14, 4, []string{"walking"}, Ordinary},
		{"notes-on-string", "Notes on String", "5.40", 40, 3, []string{"craft"}, Empty},
		{"the-museum-of-lost-umbrellas", "The Museum of Lost Umbrellas", "17.20", 5, 5, []string{"novel", "weather"}, Ordinary},
		{"salt-and-its-neighbours", "Salt & Its Neighbours", "21.00", 3, 4, []string{"cooking", "sea"}, Ordinary},
		{"a-short-walk-in-fog", "A Short Walk in Fog", "8.75", 11, 3, []string{"walking", "weather"}, Slow},
		{"forgotten-railway-timetables", "Forgotten Railway Timetables", "26.50", 1, 4, []string{"history", "time"}, Ordinary},
		{"the-gardeners-second-hat", "The Gardener's Second Hat", "10.90", 7, 4, []string{"nature", "home"}, Ordinary},
	}
}

// Items are what the stock API knows.
func Items() []Item {
	names := []string{
		"brass compass", "waxed canvas bag", "map case", "tin mug", "wool blanket", "folding ruler", "carbide lamp",
		"rope, 20 m", "field notebook", "ink powder", "signal mirror", "camp stool", "oil stone", "sewing kit",
	}
	items := make([]Item, len(names))
	for i, name := range names {
		items[i] = Item{
			SKU: fmt.Sprintf("ST-%03d", 100+7*i), Name: name, Price: fmt.Sprintf("%d.%02d", 4+3*i, 5*(i%20)), Units: 3 * i,
			Behaviour: Ordinary,
		}
	}
	items[9].Behaviour = Slow
	return items
}
