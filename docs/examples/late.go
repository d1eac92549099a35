// How late time.Sleep wakes a goroutine that sleeps until one moment after the other, as late.c does in C:
// one lateness a line, in seconds.
//
//	go build late.go && ./late 900 1 >go.txt
//	sleeptune-lab analyse go.txt --every 1s
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	count, every := 900, 1.0
	var err error
	if len(os.Args) > 1 {
		count, err = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 && err == nil {
		every, err = strconv.ParseFloat(os.Args[2], 64)
	}
	if err != nil || count < 1 || !(every > 0 && every <= 3600) {
		fmt.Fprintln(os.Stderr, "usage: late [COUNT [SECONDS]]")
		os.Exit(2)
	}
	start := time.Now()
	for i := 1; i <= count; i++ {
		due := start.Add(time.Duration(float64(i) * every * 1e9))
		time.Sleep(time.Until(due))
		if _, err := fmt.Printf("%.9f\n", time.Since(due).Seconds()); err != nil {
			os.Exit(1)
		}
	}
}
