//go:build statsclaw_native

package main

// #include <stdio.h>
import "C"

func init() { flushNative = func() { C.fflush(nil) } }
