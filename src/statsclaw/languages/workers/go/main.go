// The worker holds the package and answers calls: worker INPUT OUTPUT SITE PACKAGE
//
// It is compiled with the package, in the package's own module. Whoever compares is elsewhere and believes nothing but
// values, so nothing in here needs to be defended: a package that changes this process can only change its own answers.
package main

import "os"

func main() {
	incoming, err := os.Open(os.Args[1])
	exitOn(err)
	outgoing, err := os.OpenFile(os.Args[2], os.O_WRONLY|os.O_TRUNC, 0)
	exitOn(err)
	place := ""
	if len(os.Args) > 5 {
		place = os.Args[5]
	}
	os.Args = os.Args[:1]
	w := newWorker()
	for {
		received, err := receive(incoming)
		request, isRequest := received.(mapping)
		if err != nil || !isRequest || request.get("do") == "end" {
			tellLines(place)
			return
		}
		if request.get("do") == "forget" {
			w.forget()
			continue
		}
		_, err = outgoing.Write(framed(w.answer(request)))
		exitOn(err)
	}
}
