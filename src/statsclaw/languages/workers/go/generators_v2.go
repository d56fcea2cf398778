//go:build go1.22

package main

import (
	"math/rand/v2"
	"reflect"
)

func init() {
	generators = append(generators, func(seed int64, t reflect.Type) reflect.Value {
		source := rand.NewPCG(uint64(seed), 0)
		if found := reflect.ValueOf(rand.New(source)); found.Type() == t {
			return found
		}
		if found := reflect.ValueOf(source); found.Type().AssignableTo(t) {
			return found
		}
		return reflect.Value{}
	})
}
