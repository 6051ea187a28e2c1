package extract_test

import (
	"encoding/json"
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
)

func ExampleRules_Apply() {
	rules, err := extract.Compile(collection.Parse{Type: "html", Fields: []collection.Field{
		{Name: "title", CSS: "h1", Required: true},
		{Name: "price", CSS: ".price", Type: "number", Decimal: ","},
		{Name: "sizes", CSS: ".size", Type: "object", List: true, Fields: []collection.Field{
			{Name: "name", CSS: "b"},
			{Name: "link", CSS: ":scope", Attribute: "href", Type: "url"},
		}},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := rules.Apply(extract.Input{
		Body: []byte(`<h1>Anvil</h1> <p class=price>1.299,00&nbsp;€</p>
			<a class=size href=/s><b>S</b></a> <a class=size href=/l><b>L</b></a>`),
		ContentType: "text/html; charset=utf-8",
		URL:         "https://shop.example/anvil",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fields, _ := json.Marshal(document.Fields)
	fmt.Println(string(fields))
	fmt.Println(document.Provenance["sizes.link"])
	// Output:
	// {"price":1299.00,"sizes":[{"link":"https://shop.example/s","name":"S"},{"link":"https://shop.example/l","name":"L"}],"title":"Anvil"}
	// css :scope attribute href
}

func ExampleCompile() {
	_, err := extract.Compile(collection.Parse{Type: "json", Fields: []collection.Field{
		{Name: "price", CSS: ".price"},
		{Name: "seen", JQ: "now"},
	}}, nil)
	fmt.Println(err)
	// Output:
	// fields[0].css does not fit type "json"; use jq
	// fields[1].jq must not use now: a document follows from its response alone
}
