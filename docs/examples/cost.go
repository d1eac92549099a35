// What a call costs in Go, as cost.c does in C: two columns in ns, the clock alone and getppid.
//
//	go build cost.go && ./cost 500 >go.txt
//	sleeptune-lab plot go.txt:1 go.txt:2 -k box --unit ns -o go.svg
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	count := 500
	if len(os.Args) > 1 {
		var err error
		if count, err = strconv.Atoi(os.Args[1]); err != nil || count < 1 {
			fmt.Fprintln(os.Stderr, "usage: cost [COUNT]")
			os.Exit(2)
		}
	}
	start := time.Now()
	for i := 0; i < count; i++ {
		a, b := time.Since(start), time.Since(start)
		_ = os.Getppid() // the call
		c := time.Since(start)
		if _, err := fmt.Printf("%d,%d\n", (b - a).Nanoseconds(), (c - b).Nanoseconds()); err != nil {
			os.Exit(1)
		}
	}
}
