// Says of each message on stdin, a line of JSON each, whether the published library accepts it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type message struct {
	Secret  string
	Body    string
	Headers map[string]string
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var sent message
		if err := json.Unmarshal(lines.Bytes(), &sent); err != nil {
			panic(err)
		}
		webhook, err := webhooks.NewWebhook(sent.Secret)
		if err != nil {
			panic(err)
		}
		headers := http.Header{}
		for name, value := range sent.Headers {
			headers.Set(name, value)
		}
		if webhook.Verify([]byte(sent.Body), headers) == nil {
			fmt.Println("accepted")
		} else {
			fmt.Println("refused")
		}
	}
}
