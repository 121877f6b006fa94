// What the Go programs share: the plants, and the loop over the calls that stdin names.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
)

type plant struct {
	id   int64
	name string
	tag  *string
}

const lowest, rounded, highest int64 = math.MinInt64, 1<<53 + 1, math.MaxInt64

var (
	tag    = "Bäume"
	ids    = []int64{lowest, rounded, highest}
	plants = []plant{{lowest, "Käthe", &tag}, {rounded, "Käthe", &tag}, {highest, "Käthe", nil}}
	csv    = fmt.Sprintf("id,name,tag\r\n%d,Käthe,Bäume\r\n%d,Käthe,Bäume\r\n%d,Käthe,\r\n", lowest, rounded, highest)
	ndjson = fmt.Sprintf(`{"id":%d,"name":"Käthe","tag":"Bäume"}
{"id":%d,"name":"Käthe","tag":"Bäume"}
{"id":%d,"name":"Käthe"}
`, lowest, rounded, highest)
)

// A call panics with its error; how says what is different.
type call struct {
	how string
	run func() string
}

type answer struct {
	Got    string `json:"got"`
	Failed string `json:"failed,omitempty"`
	How    string `json:"how"`
}

func loop(calls map[string]call) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		line, _ := json.Marshal(try(calls[lines.Text()]))
		fmt.Println(string(line))
	}
}

func try(call call) (result answer) {
	defer func() {
		if failed := recover(); failed != nil {
			result = answer{Failed: fmt.Sprint(failed)}
		}
	}()
	if call.run == nil {
		return answer{}
	}
	return answer{Got: call.run(), How: call.how}
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func text(id int64, name string, tag string) string {
	return fmt.Sprintf("%d %s", id, members(name, tag))
}

func members(name string, tag string) string {
	if tag == "" {
		tag = "-"
	}
	return name + " " + tag
}

func each[Item any](items []Item, convert func(Item) string) string {
	texts := []string{}
	for _, item := range items {
		texts = append(texts, convert(item))
	}
	return strings.Join(texts, ", ")
}

func cursor(link string) string {
	return must(url.QueryUnescape(regexp.MustCompile(`cursor=([^&>]+)`).FindStringSubmatch(link)[1]))
}

// Sets header fields of each request, whatever the generated code has set.
type setting map[string]string

func (fields setting) RoundTrip(request *http.Request) (*http.Response, error) {
	for name, value := range fields {
		request.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(request)
}
