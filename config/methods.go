package config

import (
	"fmt"
	"reflect"

	"github.com/weir-collect/weir/collection"
)

// maxFallbackAfter bounds fallback_after: a breaker that has opened so often in a row has been failing for days.
const maxFallbackAfter = 100

// checkAsked checks how a source is asked and read: by its methods where it has some, else by its own request.
func checkAsked(s collection.Source, path string, index *Index, p *problems) {
	if p.isUnread(path + ".methods") {
		return // nobody knows how the source was meant to be asked
	}
	checkRange(p, path+".fallback_after", s.FallbackAfter, 0, maxFallbackAfter)
	if s.FallbackAfter > 0 && len(s.Methods) < 2 {
		p.add(path+".fallback_after", fmt.Sprint(s.FallbackAfter), "there is no other method to fall back to: list two or more in methods, or take fallback_after away")
	}
	if len(s.Methods) == 0 {
		checkLeads(s, path, p)
		checkRequest(s, path, index, p)
		checkParse(s.Parse, path+".parse", p)
		return
	}
	if !reflect.ValueOf(s.Request).IsZero() {
		p.add(path+".request", "", "the source is asked by its methods: move this into one of them, or take methods away")
	}
	names := map[string]int{}
	for i, m := range s.Methods {
		checkMethod(s, m, fmt.Sprintf("%s.methods[%d]", path, i), i, names, index, p)
	}
	if !isUnset(s.Parse) {
		checkParse(s.Parse, path+".parse", p)
	}
}

func checkMethod(s collection.Source, m collection.Method, path string, i int, names map[string]int, index *Index, p *problems) {
	checkListName(p, path, "method", m.Name, i, names)
	by := s
	by.Request = m.Request
	checkLeads(by, path, p)
	checkRequest(by, path, index, p)
	switch {
	case !isUnset(m.Parse):
		checkParse(m.Parse, path+".parse", p)
	case isUnset(s.Parse):
		p.add(path+".parse", "", "neither the method nor the source says how its responses are read: write the rules in one of them")
	}
}

// checkLeads refuses a request that no record can lead to.
func checkLeads(s collection.Source, path string, p *problems) {
	ownURL := s.Request.URL == "" || s.Request.URL == collection.RecordURL
	if len(s.Hosts) > 0 || !ownURL || p.isUnread(path+".request.url") {
		return
	}
	if len(s.Methods) > 0 {
		p.add(path+".request.url", "", "the source has no hosts, so no record brings this method a URL: write one, or list the source's hosts")
	} else if !p.isUnread(path + ".hosts") {
		p.add(path+".hosts", "", "nothing leads to this source: list the hosts whose URLs belong to it, or set request.url")
	}
}

// isUnset says that nothing was said of how responses are read.
func isUnset(parse collection.Parse) bool { return reflect.ValueOf(parse).IsZero() }
