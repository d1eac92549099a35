// Two ways to sleep in Go, for b1.md: sleeps MS, or sleeps -syscall MS.
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

func main() {
	ms, _ := strconv.Atoi(os.Args[len(os.Args)-1])
	ns := int64(ms) * 1000000
	if os.Args[1] == "-syscall" {
		left := syscall.NsecToTimespec(ns)
		for syscall.Nanosleep(&left, &left) == syscall.EINTR {
		}
		return
	}
	time.Sleep(time.Duration(ns))
}
